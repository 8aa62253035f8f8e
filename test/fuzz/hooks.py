"""Hooks of Schemathesis: most generated ids become ids that exist, so that answers are checked and not refusals only.

What is not of the right form stays as it is, and so does every fourth value.
"""

import json
import os
import re
from urllib.request import Request, urlopen

import schemathesis

SIDE_DOOR = Request(f"{os.environ['SANDBOX_URL']}/_sandbox/world", headers={"Sec-Faultline-Sandbox": "1"})
with urlopen(SIDE_DOOR) as answer:
    WORLD = json.load(answer)

RULES = WORLD["disabled_exclusion_rules"]
IDS = {
    "incident_ids": WORLD["incidents"],
    "alert_id": WORLD["alerts"],
    "channel_id": WORLD["channels"] + WORLD["disabled_channels"] + [rule["channel_id"] for rule in RULES],
    "channel_ids": WORLD["channels"],
    "rule_id": [rule["rule_id"] for rule in RULES],
    "team_id": WORLD["teams"],
    "team_ids": WORLD["teams"],
    "managing_team_ids": WORLD["teams"],
    "schedule_ids": WORLD["schedules"],
    "extra_cal_ids": WORLD["calendars"],
    "template_id": WORLD["free_templates"] + WORLD["referenced_templates"],
    "ids": WORLD["rules"],
    "id": WORLD["rules"],
    "folder_id": [0, *WORLD["folders"]],
    "role_id": WORLD["custom_roles"] + WORLD["builtin_roles"],
    "role_ids": WORLD["custom_roles"] + WORLD["builtin_roles"],
    "member_ids": WORLD["members"],
    "responder_ids": WORLD["members"],
    "post_mortem_id": WORLD["post_mortems"],
}
DAY = 86_400


def number(value):
    """A number for a value: the same one each time, so that a failure can be repeated."""
    return value if isinstance(value, int) else sum(map(ord, value)) + len(value)


def known(name, value):
    """The value, or an id of that name that exists."""
    if isinstance(value, list):
        return [known(name, one) for one in value]
    if not is_id(value, IDS[name][0]) or number(value) % 4 == 0:
        return value
    return IDS[name][number(value) % len(IDS[name])]


def is_id(value, example):
    """Whether a value has the form of an id. What is wrong must stay wrong: that it is refused is checked too."""
    if isinstance(example, int):
        return is_int64(value)
    if not isinstance(value, str):
        return False
    return re.fullmatch("[0-9a-fA-F]+", example) is None or (
        len(value) == len(example) and re.fullmatch("[0-9a-fA-F]+", value) is not None
    )


def is_int64(value):
    # A boolean is an integer to Python.
    return type(value) is int and 0 <= value < 2**63


def with_known_ids(fields):
    if not isinstance(fields, dict):
        return fields
    fields = {name: known(name, value) if IDS.get(name) else value for name, value in fields.items()}
    start, end = fields.get("start_time"), fields.get("end_time")
    if is_int64(start) and is_int64(end) and start % 4 != 0:
        fields["start_time"] = WORLD["now"] - start % 100 * DAY
        fields["end_time"] = fields["start_time"] + 1 + end % (31 * DAY)
    # A rule is found in its own channel only.
    if "rule_id" in fields and fields.get("channel_id") in IDS["channel_id"]:
        own = {rule["channel_id"]: rule["rule_id"] for rule in RULES}
        fields["rule_id"] = own.get(fields["channel_id"], fields["rule_id"])
    return fields


@schemathesis.hook
def map_body(context, body):
    return with_known_ids(body)


@schemathesis.hook
def map_query(context, query):
    return with_known_ids(query)
