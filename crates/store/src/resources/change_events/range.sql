-- `drawn` is read after the horizon, so it is never less.
select
    h.horizon,
    (select s.last_value from change_event_sequence s) as drawn,
    (select r.deleted_sequence from change_event_retention r) as deleted
from (select change_event_horizon() as horizon offset 0) h
