#!/bin/sh
# What the container runs: the demo, the review server, or any command of mtassay.
set -eu
case "${1:-}" in
demo)
    MTASSAY_WORKSPACE="$(mktemp -d)/workspace.db" python /opt/mtassay/demo/run.py
    cp /opt/mtassay/demo/report.html . ;;
serve) # NAME HOST: an invitation for NAME, and the page under the name HOST
    mtassay review invite "$2" --admin --address "http://$3:8765"
    exec mtassay serve --host 0.0.0.0 --known-as "$3" ;;
*)
    exec mtassay "$@" ;;
esac
