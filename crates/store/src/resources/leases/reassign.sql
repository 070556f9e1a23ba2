update {table} set process_id = $2 where id = $1 and {state} = '{waiting}'
