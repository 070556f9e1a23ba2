-- The schema as one JSON document: tables with their columns, keys, indexes, checks and triggers; functions; sequences.
with tables as (
    select oid, relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like '\_\_diesel%'
),
columns as (
    select a.attrelid, json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod),
        'nullable', not a.attnotnull,
        'default', case
            when a.attgenerated <> '' then 'generated'
            when a.attidentity <> '' then 'identity'
            else pg_get_expr(d.adbin, d.adrelid)
        end,
        'comment', col_description(a.attrelid, a.attnum)
    ) order by a.attnum) as list
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
    group by a.attrelid
),
keys as (
    select c.conrelid, json_agg(json_build_object(
        'kind', c.contype,
        'columns', (
            select json_agg(a.attname order by k.position)
            from unnest(c.conkey) with ordinality k (number, position)
            join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
        ),
        'target', t.name,
        'definition', pg_get_constraintdef(c.oid, true),
        'comment', obj_description(c.oid, 'pg_constraint')
    ) order by position(c.contype::text in 'pufc'), c.conname) as list
    from pg_constraint c
    left join tables t on t.oid = c.confrelid
    where c.contype in ('p', 'u', 'f', 'c')
    group by c.conrelid
),
indexes as (
    select i.indrelid, json_agg(json_build_object(
        'name', c.relname,
        'definition', regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), '^.* USING ', ''),
        'unique', i.indisunique,
        'comment', obj_description(c.oid, 'pg_class')
    ) order by c.relname) as list
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where not exists (select from pg_constraint where conindid = i.indexrelid)
    group by i.indrelid
),
triggers as (
    select tgrelid, json_agg(json_build_object(
        'name', tgname,
        'comment', obj_description(oid, 'pg_trigger')
    ) order by tgname) as list
    from pg_trigger
    where not tgisinternal
    group by tgrelid
)
select json_build_object(
    'tables', (
        select json_agg(json_build_object(
            'name', t.name,
            'comment', obj_description(t.oid, 'pg_class'),
            'columns', c.list,
            'keys', coalesce(k.list, '[]'),
            'indexes', coalesce(i.list, '[]'),
            'triggers', coalesce(g.list, '[]')
        ))
        from tables t
        join columns c on c.attrelid = t.oid
        left join keys k on k.conrelid = t.oid
        left join indexes i on i.indrelid = t.oid
        left join triggers g on g.tgrelid = t.oid
    ),
    'functions', (
        select json_agg(json_build_object('name', proname, 'comment', obj_description(p.oid, 'pg_proc')))
        from pg_proc p
        where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    )
)::text
