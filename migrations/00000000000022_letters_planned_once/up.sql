-- The same letters, by no function of SQL: that is parsed and put in place anew by each statement that writes a card, which takes
-- longer than all else that it does.
create or replace function card_letters(document text) returns bigint language plpgsql immutable strict parallel safe as $$
begin
    return (strpos(document, 'a') > 0)::int::bigint | ((strpos(document, 'b') > 0)::int::bigint << 1)
        | ((strpos(document, 'c') > 0)::int::bigint << 2) | ((strpos(document, 'd') > 0)::int::bigint << 3)
        | ((strpos(document, 'e') > 0)::int::bigint << 4) | ((strpos(document, 'f') > 0)::int::bigint << 5)
        | ((strpos(document, 'g') > 0)::int::bigint << 6) | ((strpos(document, 'h') > 0)::int::bigint << 7)
        | ((strpos(document, 'i') > 0)::int::bigint << 8) | ((strpos(document, 'j') > 0)::int::bigint << 9)
        | ((strpos(document, 'k') > 0)::int::bigint << 10) | ((strpos(document, 'l') > 0)::int::bigint << 11)
        | ((strpos(document, 'm') > 0)::int::bigint << 12) | ((strpos(document, 'n') > 0)::int::bigint << 13)
        | ((strpos(document, 'o') > 0)::int::bigint << 14) | ((strpos(document, 'p') > 0)::int::bigint << 15)
        | ((strpos(document, 'q') > 0)::int::bigint << 16) | ((strpos(document, 'r') > 0)::int::bigint << 17)
        | ((strpos(document, 's') > 0)::int::bigint << 18) | ((strpos(document, 't') > 0)::int::bigint << 19)
        | ((strpos(document, 'u') > 0)::int::bigint << 20) | ((strpos(document, 'v') > 0)::int::bigint << 21)
        | ((strpos(document, 'w') > 0)::int::bigint << 22) | ((strpos(document, 'x') > 0)::int::bigint << 23)
        | ((strpos(document, 'y') > 0)::int::bigint << 24) | ((strpos(document, 'z') > 0)::int::bigint << 25)
        | ((strpos(document, '0') > 0)::int::bigint << 26) | ((strpos(document, '1') > 0)::int::bigint << 27)
        | ((strpos(document, '2') > 0)::int::bigint << 28) | ((strpos(document, '3') > 0)::int::bigint << 29)
        | ((strpos(document, '4') > 0)::int::bigint << 30) | ((strpos(document, '5') > 0)::int::bigint << 31)
        | ((strpos(document, '6') > 0)::int::bigint << 32) | ((strpos(document, '7') > 0)::int::bigint << 33)
        | ((strpos(document, '8') > 0)::int::bigint << 34) | ((strpos(document, '9') > 0)::int::bigint << 35);
end
$$;
