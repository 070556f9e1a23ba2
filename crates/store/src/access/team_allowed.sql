  and om.role is not null
  and (tm.role = any($4) or om.role = any($5) or (t.visibility = 'internal' and om.role = any($6)))
