-- Times are milliseconds since 1970 UTC, sizes are bytes, enumerations are kept by the names that users see.
-- Numbers that may need all 64 bits (pattern ids, LBAs, …) are the signed integers with the same bits.

CREATE TABLE drive (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    serial TEXT NOT NULL,
    wwn TEXT NOT NULL,
    firmware TEXT NOT NULL,
    transport TEXT NOT NULL,
    by_id TEXT NOT NULL,
    capacity INTEGER NOT NULL,
    logical_block_bytes INTEGER NOT NULL,
    simulated INTEGER NOT NULL,
    ours INTEGER NOT NULL
) STRICT;

-- What was decided when a run was started; only `ended` ever changes. AUTOINCREMENT: a number that users have
-- typed never means another run.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    drive INTEGER NOT NULL REFERENCES drive,
    started INTEGER NOT NULL,
    ended INTEGER,
    profile TEXT NOT NULL,
    target TEXT NOT NULL,
    pattern_run INTEGER NOT NULL,
    pattern_drive INTEGER NOT NULL,
    pattern_seed INTEGER NOT NULL,
    first_unit INTEGER NOT NULL,
    units INTEGER NOT NULL,
    limit_passes INTEGER,
    limit_active_ms INTEGER,
    limit_written INTEGER,
    limit_wear_percent INTEGER,
    reads_only INTEGER NOT NULL,
    subject INTEGER REFERENCES run,
    verify INTEGER NOT NULL,
    on_finding TEXT NOT NULL,
    transfer_bytes INTEGER NOT NULL,
    queue_depth INTEGER NOT NULL,
    bytes_per_second INTEGER,
    rating INTEGER,
    rating_source TEXT NOT NULL,
    consent TEXT NOT NULL
) STRICT;
CREATE INDEX run_of_drive ON run (drive);

-- One row a run, apart from `run`, so that a commit rewrites one short row.
CREATE TABLE checkpoint (
    run INTEGER PRIMARY KEY REFERENCES run,
    state TEXT NOT NULL,
    phase TEXT NOT NULL,
    reason TEXT NOT NULL,
    generation INTEGER NOT NULL,
    flushed_to INTEGER NOT NULL,
    issued_to INTEGER NOT NULL,
    restart_mark INTEGER NOT NULL,
    unknown BLOB NOT NULL, -- per range: first unit, number of units; each 64 bits, little-endian
    verify_position INTEGER NOT NULL,
    written INTEGER NOT NULL,
    verified INTEGER NOT NULL,
    unverified INTEGER NOT NULL,
    write_passes INTEGER NOT NULL,
    verify_passes INTEGER NOT NULL,
    active_ms INTEGER NOT NULL,
    last_finding_sequence INTEGER NOT NULL,
    -- The pass that is going on, as far as it has come.
    pass_kind TEXT NOT NULL,
    pass_generation INTEGER NOT NULL,
    pass_started INTEGER NOT NULL,
    pass_active_ms INTEGER NOT NULL,
    pass_bytes INTEGER NOT NULL,
    pass_finding_ranges INTEGER NOT NULL
) STRICT;

CREATE TABLE finding_count (
    run INTEGER NOT NULL REFERENCES run,
    class TEXT NOT NULL,
    ranges INTEGER NOT NULL,
    sectors INTEGER NOT NULL,
    PRIMARY KEY (run, class)
) STRICT, WITHOUT ROWID;

CREATE TABLE pass (
    run INTEGER NOT NULL REFERENCES run,
    kind TEXT NOT NULL,
    generation INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    active_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    finding_ranges INTEGER NOT NULL,
    UNIQUE (run, kind, generation, started)
) STRICT;

CREATE TABLE finding (
    run INTEGER NOT NULL REFERENCES run,
    sequence INTEGER NOT NULL,
    class TEXT NOT NULL,
    lba INTEGER NOT NULL,
    sectors INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    time INTEGER NOT NULL,
    expected INTEGER NOT NULL,
    found INTEGER,
    source_lba INTEGER,
    foreign_run INTEGER,
    foreign_drive INTEGER,
    flips_to_one INTEGER NOT NULL,
    flips_to_zero INTEGER NOT NULL,
    first_wrong_byte INTEGER NOT NULL,
    first_wrong_bits INTEGER NOT NULL,
    torn_sectors INTEGER NOT NULL,
    error INTEGER NOT NULL,
    reread TEXT NOT NULL,
    expected_bytes BLOB NOT NULL,
    actual_bytes BLOB NOT NULL,
    UNIQUE (run, sequence)
) STRICT;

-- Texts that many samples share: decoders and problems.
CREATE TABLE note (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- A drive's raw answers hardly differ from one another: a keyframe is one of them as a zstd frame, and an answer
-- is a zstd frame whose prefix is its keyframe's text (`zstd -d --patch-from`).
CREATE TABLE raw_keyframe (
    id INTEGER PRIMARY KEY,
    drive INTEGER NOT NULL REFERENCES drive,
    time INTEGER NOT NULL,
    size INTEGER NOT NULL,
    frame BLOB NOT NULL
) STRICT;
CREATE INDEX raw_keyframe_of_drive ON raw_keyframe (drive);

CREATE TABLE raw_answer (
    id INTEGER PRIMARY KEY,
    keyframe INTEGER NOT NULL REFERENCES raw_keyframe,
    size INTEGER NOT NULL,
    frame BLOB NOT NULL
) STRICT;

CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    drive INTEGER NOT NULL REFERENCES drive,
    run INTEGER REFERENCES run,
    time INTEGER NOT NULL,
    reason TEXT NOT NULL,
    run_written INTEGER NOT NULL,
    drive_written INTEGER NOT NULL, -- by all runs on the drive until then
    took_ms INTEGER NOT NULL,
    raw INTEGER REFERENCES raw_answer,
    decoder INTEGER NOT NULL REFERENCES note,
    problem INTEGER NOT NULL REFERENCES note
) STRICT;
CREATE INDEX sample_of_drive ON sample (drive);
CREATE INDEX sample_of_run ON sample (run) WHERE run IS NOT NULL;

-- A stretch over which a drive's metric is comparable: one decoder, one source, and no fall of a counter that
-- only grows. Numbered from 0 for each metric.
CREATE TABLE epoch (
    id INTEGER PRIMARY KEY,
    drive INTEGER NOT NULL REFERENCES drive,
    metric TEXT NOT NULL,
    number INTEGER NOT NULL,
    source TEXT NOT NULL,
    confidence TEXT NOT NULL,
    decoder INTEGER NOT NULL REFERENCES note,
    UNIQUE (drive, metric, number)
) STRICT;

-- A row only for the samples at which the value changed; NULL: no longer told.
CREATE TABLE reading (
    epoch INTEGER NOT NULL REFERENCES epoch,
    sample INTEGER NOT NULL REFERENCES sample,
    value INTEGER,
    PRIMARY KEY (epoch, sample)
) STRICT, WITHOUT ROWID;

-- Of each drive's newest sample only: older ones are in the raw answers.
CREATE TABLE unknown_field (
    drive INTEGER NOT NULL REFERENCES drive,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (drive, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    drive INTEGER NOT NULL REFERENCES drive,
    run INTEGER REFERENCES run,
    rule TEXT NOT NULL,
    text TEXT NOT NULL,
    baseline INTEGER NOT NULL,
    value INTEGER NOT NULL,
    per_tb REAL,
    since INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    acknowledged INTEGER
) STRICT;
