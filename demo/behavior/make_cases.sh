#!/bin/sh
# Makes cases.jsonl again, from our own corpus and with our own lexicon. Run with the environment of the project.
set -e
cd "$(dirname "$0")"
mtassay behavior generate -s ../corpus/en-pt/source.txt -r ../corpus/en-pt/reference.A.txt -l en-pt \
    --capabilities noun,verb,adjective,adverb,preposition,others,ner,general \
    --max-cases 50 --seed 12345 --output cases.jsonl --force
