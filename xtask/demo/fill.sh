#!/usr/bin/env bash
# Fills the demonstration project with real files and the planning around them, by the command line as a user has it.
# It reads ATELIER_URL and ATELIER_KEY, and the organization as its argument. A second run changes nothing.
set -euo pipefail
cd "$(dirname "$0")"
org=$1
slug=rod-mount

send() { atelier api -X "$1" "/api/v2$2" ${3:+-d "$3"}; }
# The first string of this name in an answer.
value() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
# What tasks print is of no interest unless they fail.
quietly() { "$@" >/dev/null; }

if atelier projects list 'Rod mount' --json | grep -q "\"projectSlug\":\"$slug\""; then
    exit 0
fi

# Content: an assembly, documents and code; a branch that differs, and a change that isn't committed.
project=$(atelier projects create 'Rod mount' --org "$org" --visibility internal \
    --description 'Two angle brackets on a plate hold a rod.' --json | value id)
quietly atelier upload rod-mount.stp --to "$project:/Model"
quietly atelier upload files/ --to "$project:/"
quietly atelier commit "$project" -m 'Import the mount from CAD, with its documents'
quietly atelier objects edit "$project:/Model/as1/plate_1" --set material=S355 --set thickness=20
quietly atelier commit "$project" -m 'Choose the steel of the plate'

quietly atelier branches create "$project" lighter-bracket
branch="$project--lighter-bracket"
quietly atelier objects edit "$branch:/Model/as1/plate_1" --set thickness=16 --set coating=zinc
changed=$(mktemp -d)
trap 'rm -rf "$changed"' EXIT
sed 's/"bolts", 3)/"bolts", 2)/' files/Scripts/bolt_load.py >"$changed/bolt_load.py"
quietly atelier upload "$changed/bolt_load.py" --update --to "$branch:/Scripts"
quietly atelier commit "$branch" -m 'Try a thinner plate and two bolts for each bracket'
printf '# Review\n\n- The thinner plate bends 0.2 mm more.\n- Two bolts still hold 10 times the load.\n' |
    quietly atelier upload - --name 'Review.md' --to "$project:/Documents"
quietly atelier exec "$project:/Scripts/bolt_load.py"

# Planning: a board with a limit, cards with tags, links and comments, a sprint that is over and one that runs.
team=/orgs/$org/teams/$(send POST "/orgs/$org/teams" '{"name": "Rod mount"}' | value id)
quietly send PUT "$team/projects/$project"
column() { send POST "$team/statuses" "$1" | value id; }
todo=$(column '{"name": "To do", "color": "#8a93a6"}')
doing=$(column '{"name": "Doing", "color": "#3b6fd4", "wipLimit": 3}')
review=$(column '{"name": "Review", "color": "#b3781f", "wipLimit": 2}')
finished=$(column '{"name": "Done", "color": "#2e8555", "transitionState": "closed", "closeMode": "automatic"}')

tag() { send POST "/projects/$project/card-tags" "{\"name\": \"$1\", \"color\": \"$2\"}" | value id; }
design=$(tag design '#3b6fd4')
test=$(tag test '#7a4fbf')
supplier=$(tag supplier '#b3781f')

me=$(send GET /me | value id)
day() { date -u -d "$1 days" +%F; }
# Makes a card: name, effort, tag, due date or "", description, assignee or "".
card() {
    local due=${4:+, \"deadline\": \"$4T00:00:00Z\"} assignee=${6:+, \"assigneeId\": \"$6\"}
    send POST "/projects/$project/cards" "{
        \"name\": \"$1\", \"effort\": $2, \"tagIds\": [\"$3\"], \"description\": \"$5\"$due$assignee
    }" | value id
}
place() { quietly send PUT "$team/cards/$1" "{\"statusId\": \"$2\", \"sprintId\": \"$3\"}"; }
sprint() {
    send POST "$team/sprints" \
        "{\"name\": \"$1\", \"startDate\": \"$2\", \"endDate\": \"$3\", \"description\": \"$4\"}" | value id
}

first=$(sprint 'Sprint 1' "$(day -14)" "$(day -1)" 'The mount exists as a model and can be discussed.')
model=$(card 'Model the mount' 5 "$design" '' 'Plate, brackets, rod, and what holds them.' "$me")
bolts=$(card 'Choose the bolts' 2 "$design" '' 'See **R2**: factor of 2 at 2.5 kN.' "$me")
plate=$(card 'Ask for prices of the plate' 1 "$supplier" '' 'Laser cut, 20 mm and 16 mm.' '')
for one in "$model" "$bolts" "$plate"; do place "$one" "$todo" "$first"; done
quietly send POST "$team/sprints/$first/start"
for one in "$model" "$bolts"; do place "$one" "$finished" "$first"; done

second=$(sprint 'Sprint 2' "$(day 0)" "$(day 11)" 'One mount stands on the test bench.')
quietly send POST "$team/sprints/$first/complete" "{\"incompleteCardsTo\": \"$second\"}"
pull=$(card 'Pull test to 3 kN' 5 "$test" "$(day 6)" 'Compare with the recorded curve in *Tests*.' "$me")
lighter=$(card 'Decide on the lighter bracket' 3 "$design" "$(day 3)" \
    'Merge the branch or close it:\n\n1. read *Review.md*\n2. compare the versions\n3. merge' "$me")
holes=$(card 'Drill the holes of the plate' 2 "$supplier" "$(day -1)" 'The laser leaves them too hard to tap.' '')
order=$(card 'Order rods and nuts' 1 "$supplier" "$(day 2)" '' '')
drawing=$(card 'Draw the plate with tolerances' 3 "$design" "$(day 9)" '' '')
for one in "$order" "$drawing"; do place "$one" "$todo" "$second"; done
for one in "$lighter" "$holes"; do place "$one" "$doing" "$second"; done
place "$pull" "$review" "$second"
quietly send POST "$team/sprints/$second/start"
place "$order" "$finished" "$second"
quietly card 'Test with lock washers' 3 "$test" '' 'An open question of the design note.' ''
quietly card 'Corrosion after 500 h of salt spray' 8 "$test" '' '' ''

object() { atelier tree "$project" --json | grep "\"path\":\"$1\"" | value id; }
relate() { quietly send PUT "/projects/$project/cards/$1/objects/$2"; }
relate "$holes" "$(object /Model/as1/plate_1)"
relate "$pull" "$(object /Tests/pull_test.csv)"
comment() { quietly atelier cards comment "$project" "$1" "$2"; }
comment "$lighter" 'Two bolts hold, says `bolt_load.py`: the factor is 10. The bracket itself decides.'
comment "$pull" 'The curve bends at 2.6 kN, so there is **4 %** left above the load of R1.'
