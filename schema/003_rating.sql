-- What users have set; `model` as they typed it. Either tbw or both of dwpd_milli (thousandths) and years.
CREATE TABLE rating (
    model TEXT NOT NULL,
    capacity INTEGER NOT NULL, -- 0: whatever the drive's capacity is
    tbw INTEGER,
    dwpd_milli INTEGER,
    years INTEGER,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (model, capacity)
) STRICT, WITHOUT ROWID;
