-- What a question did to the run's I/O, in microseconds: the longest time without a completion while it was open,
-- and the longest such time in the seconds before. NULL: no I/O was going on.
ALTER TABLE sample ADD COLUMN stall_us INTEGER;
ALTER TABLE sample ADD COLUMN usual_gap_us INTEGER;

-- How smartctl has to be told to ask the drive behind its USB bridge (its option -d); empty: it finds out itself.
ALTER TABLE drive ADD COLUMN smart_type TEXT NOT NULL DEFAULT '';
