-- files on demand have no artifact yet: the index is for those that have
drop index unit_files_artifact;
create index unit_files_artifact on unit_files (artifact) where artifact is not null;
