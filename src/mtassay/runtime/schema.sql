-- The schema of a workspace. Each part takes it one version further; parts are only ever added.

-- version 1 --
CREATE TABLE runs (
    id TEXT PRIMARY KEY, method TEXT NOT NULL, parameters TEXT NOT NULL, systems TEXT NOT NULL,
    started TEXT NOT NULL, versions TEXT NOT NULL, result TEXT NOT NULL
);
CREATE TABLE segments (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
    id TEXT NOT NULL, source TEXT, reference_texts TEXT NOT NULL, document TEXT,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE outputs (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, system TEXT NOT NULL,
    position INTEGER NOT NULL, id TEXT NOT NULL, text TEXT, error TEXT,
    PRIMARY KEY (run, system, position)
) WITHOUT ROWID;
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, case_id TEXT NOT NULL,
    system TEXT NOT NULL, detector TEXT NOT NULL, verdict TEXT, value REAL, evidence TEXT NOT NULL
);
CREATE INDEX findings_by_run ON findings (run, system);
CREATE TABLE cache (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored TEXT NOT NULL) WITHOUT ROWID;

-- version 2 --
CREATE TABLE answers (
    key TEXT PRIMARY KEY, signature TEXT NOT NULL, text TEXT NOT NULL, meta TEXT NOT NULL,
    stored TEXT NOT NULL
) WITHOUT ROWID;

-- version 3 --
ALTER TABLE segments ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
CREATE INDEX findings_by_case ON findings (run, case_id);
CREATE TABLE subjects (id TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reviews (
    subject TEXT NOT NULL REFERENCES subjects (id), question TEXT NOT NULL, answer TEXT NOT NULL,
    reviewer TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL,
    UNIQUE (subject, question, answer, reviewer, note, at)
);

-- version 4 --
CREATE TABLE statistics (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, metric TEXT NOT NULL, system TEXT NOT NULL,
    signature TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (run, metric, system)
);

-- version 5 --
-- An engine that is asked again keeps what it said before, and every answer says what was asked.
CREATE TABLE all_answers (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, signature TEXT NOT NULL, text TEXT NOT NULL,
    meta TEXT NOT NULL, stored TEXT NOT NULL, program TEXT NOT NULL DEFAULT '', source TEXT, context TEXT
);
INSERT INTO all_answers (key, signature, text, meta, stored)
    SELECT key, signature, text, meta, stored FROM answers;
DROP TABLE answers;
ALTER TABLE all_answers RENAME TO answers;
CREATE INDEX answers_by_key ON answers (key);
CREATE INDEX answers_by_signature ON answers (signature);

-- version 6 --
-- Every row says whether it is what was stored; and who is asking for what, so that nobody asks twice.
ALTER TABLE runs ADD COLUMN checksum INTEGER;
ALTER TABLE segments ADD COLUMN checksum INTEGER;
ALTER TABLE outputs ADD COLUMN checksum INTEGER;
ALTER TABLE findings ADD COLUMN checksum INTEGER;
ALTER TABLE statistics ADD COLUMN checksum INTEGER;
ALTER TABLE answers ADD COLUMN checksum INTEGER;
ALTER TABLE subjects ADD COLUMN checksum INTEGER;
ALTER TABLE reviews ADD COLUMN checksum INTEGER;
ALTER TABLE cache ADD COLUMN checksum INTEGER;
CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;

-- version 7 --
-- Campaigns of reviewers: what they are asked, who has what before them, and which answers adjudicate.
CREATE TABLE adjudications (
    subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE, question TEXT NOT NULL,
    reviewer TEXT NOT NULL, at TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (subject, question, reviewer, at)
) WITHOUT ROWID;
CREATE TABLE campaigns (name TEXT PRIMARY KEY, content TEXT NOT NULL, checksum INTEGER) WITHOUT ROWID;
CREATE TABLE campaign_subjects (
    campaign TEXT NOT NULL REFERENCES campaigns (name) ON DELETE CASCADE, position INTEGER NOT NULL,
    subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE, wanted INTEGER NOT NULL,
    run TEXT NOT NULL, case_id TEXT NOT NULL, category TEXT NOT NULL, phenomenon TEXT NOT NULL,
    systems TEXT NOT NULL, takers TEXT NOT NULL, case_lot INTEGER NOT NULL, lot INTEGER NOT NULL,
    status TEXT NOT NULL, verdict TEXT NOT NULL, score REAL, checksum INTEGER,
    PRIMARY KEY (campaign, position)
) WITHOUT ROWID;
CREATE INDEX campaign_subjects_by_subject ON campaign_subjects (subject);
CREATE TABLE handouts (
    campaign TEXT NOT NULL REFERENCES campaigns (name) ON DELETE CASCADE, subject TEXT NOT NULL,
    reviewer TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (campaign, subject, reviewer)
) WITHOUT ROWID;
CREATE INDEX reviews_by_question ON reviews (question, subject);

-- version 8 --
-- What people can be asked about a run, to be counted, filtered and paged here; what holds of it; who may
-- answer from elsewhere; and which answers were taken, so that one that is sent twice is kept once.
CREATE TABLE agendas (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, question TEXT NOT NULL,
    doubted INTEGER NOT NULL, total INTEGER NOT NULL, offers TEXT NOT NULL, PRIMARY KEY (run, question)
) WITHOUT ROWID;
CREATE TABLE agenda (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, question TEXT NOT NULL,
    position INTEGER NOT NULL, subject TEXT NOT NULL, segment TEXT NOT NULL, category TEXT NOT NULL,
    phenomenon TEXT NOT NULL, systems TEXT NOT NULL, status TEXT NOT NULL, found TEXT NOT NULL,
    source TEXT NOT NULL, output TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (run, question, position)
) WITHOUT ROWID;
CREATE INDEX agenda_by_subject ON agenda (subject, question, run);
CREATE TABLE standings (
    subject TEXT NOT NULL, question TEXT NOT NULL, answer TEXT, disputed INTEGER NOT NULL,
    PRIMARY KEY (subject, question)
) WITHOUT ROWID;
CREATE TABLE standings_mark (newest INTEGER NOT NULL, total INTEGER NOT NULL);
CREATE TABLE receipts (
    id TEXT PRIMARY KEY, subject TEXT NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
    question TEXT NOT NULL, answer TEXT NOT NULL, reviewer TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE invitations (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL, since TEXT NOT NULL, checksum INTEGER
) WITHOUT ROWID;
CREATE INDEX outputs_by_id ON outputs (run, id);
CREATE INDEX segments_by_id ON segments (run, id);
CREATE INDEX reviews_by_reviewer ON reviews (reviewer, question, at);

-- version 9 --
-- What came later holds, whatever the clock said. Rows are in the order of rowid, which SQLite counts
-- up and VACUUM keeps; campaigns have none. What was computed by the clock is computed again.
ALTER TABLE campaigns ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
UPDATE campaigns SET sequence = (
    SELECT COUNT(*) FROM campaigns c WHERE (substr(c.content, instr(c.content, '"created":')), c.name)
    <= (substr(campaigns.content, instr(campaigns.content, '"created":')), campaigns.name)
);
DROP INDEX reviews_by_reviewer;
CREATE INDEX reviews_by_reviewer ON reviews (reviewer, question);
DELETE FROM standings;
DELETE FROM standings_mark;
DELETE FROM cache WHERE key LIKE 'agreement of campaign|%';

-- version 10 --
-- Runs that were kept without being asked for, which may go when many newer ones are there.
CREATE TABLE temporary_runs (run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE) WITHOUT ROWID;

-- version 11 --
-- Invitations that end by themselves, or let into one campaign; who came in, and what administrators did.
ALTER TABLE invitations ADD COLUMN until TEXT NOT NULL DEFAULT '';
ALTER TABLE invitations ADD COLUMN campaign TEXT NOT NULL DEFAULT '';
UPDATE invitations SET checksum = NULL;
CREATE TABLE journal (at TEXT NOT NULL, person TEXT NOT NULL, deed TEXT NOT NULL, checksum INTEGER);

-- version 12 --
-- What live engines said besides their outputs: seconds, tokens, and further answers to the same text.
CREATE TABLE output_facts (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, system TEXT NOT NULL,
    position INTEGER NOT NULL, facts TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (run, system, position)
) WITHOUT ROWID;

-- version 13 --
-- Items and rules that somebody proposes, until an editor settles them.
CREATE TABLE proposals (
    suite TEXT NOT NULL, content TEXT NOT NULL, person TEXT NOT NULL, at TEXT NOT NULL,
    settled TEXT NOT NULL DEFAULT '', checksum INTEGER
);

-- version 14 --
-- The thresholds of behavior are called as in plans and on the command line.
UPDATE runs SET checksum = NULL, parameters = replace(
    replace(parameters, '"alpha":', '"min_quality":'), '"beta":', '"max_change":'
) WHERE method = 'behavior';
