drop table deferred_conversions;
