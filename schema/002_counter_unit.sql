-- What the bytes that we wrote say of a drive's write counters: per counter, what its newest run that settled
-- anything found. Measured numbers are NULL where there are none.
CREATE TABLE counter_unit (
    drive INTEGER NOT NULL REFERENCES drive,
    field TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES run,
    metric TEXT NOT NULL,
    verdict TEXT NOT NULL,
    catalogue_step INTEGER,
    step INTEGER,
    bytes_per_step REAL,
    low REAL,
    high REAL,
    written INTEGER NOT NULL,
    grown INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    longest_still INTEGER NOT NULL,
    longest_still_ms INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    PRIMARY KEY (drive, field)
) STRICT, WITHOUT ROWID;
