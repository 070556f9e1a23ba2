"""Reads a calendar by two libraries, and writes what each found as JSON."""

import json
import re
import sys
from datetime import date, datetime, timezone

import icalendar
import vobject

with open(sys.argv[1], "rb") as file:
    TEXT = file.read().decode()


def shown(value: date | None) -> str | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value} has no zone")
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value.isoformat()


def by_icalendar() -> dict:
    calendar = icalendar.Calendar.from_ical(TEXT)
    entries = []
    for event in calendar.walk("VEVENT"):
        if event.errors:
            raise ValueError(event.errors)
        texts = {name.lower(): str(event[name]) for name in ("UID", "SUMMARY", "DESCRIPTION", "URL")}
        end = event.get("DTEND")
        entries.append({**texts, "start": shown(event["DTSTART"].dt), "end": shown(end.dt if end else None)})
    if calendar.errors:
        raise ValueError(calendar.errors)
    # It leaves a text escaped in properties that it doesn't know.
    name = re.sub(r"\\([\\,;])", r"\1", str(calendar["NAME"]))
    return {"by": "icalendar", "name": name, "entries": entries}


def by_vobject() -> dict:
    calendar = vobject.readOne(TEXT, validate=True)
    entries = []
    for event in calendar.contents.get("vevent", []):
        texts = {name: getattr(event, name).value for name in ("uid", "summary", "description", "url")}
        end = event.contents.get("dtend")
        entries.append({**texts, "start": shown(event.dtstart.value), "end": shown(end[0].value if end else None)})
    return {"by": "vobject", "name": calendar.contents["x-wr-calname"][0].value, "entries": entries}


print(json.dumps([by_icalendar(), by_vobject()]))
