-- a file is its one path with its bytes: the rows of the frame say all there is to say
drop table file_units;
create view file_units as
  select f.unit_id, f.path, f.sha256, f.size_bytes from unit_files f join units u on u.id = f.unit_id where u.kind = 'file';
