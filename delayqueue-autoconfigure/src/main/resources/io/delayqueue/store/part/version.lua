-- The layout of a partition's keys that this version of the library knows.
local layout = '1'
