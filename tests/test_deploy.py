"""What is in deploy/ fits what the code does: nobody else would notice before the day it is needed."""

from __future__ import annotations

import json
import re
import shlex
from configparser import ConfigParser

import pytest
from django.core.management import get_commands, load_command_class

from config.settings import BASE_DIR
from store.dynamodb import schema

DEPLOY = BASE_DIR / "deploy"
TEMPLATE = json.loads((DEPLOY / "aws.json").read_text())
RESOURCES = TEMPLATE["Resources"]
KEYS = ("BillingMode", "KeySchema", "GlobalSecondaryIndexes")


def of_type(name: str) -> dict[str, dict]:
    return {each: given["Properties"] for each, given in RESOURCES.items() if given["Type"] == f"AWS::{name}"}


@pytest.mark.parametrize(("resource", "model"), [("Data", schema.MODELS[0]), ("Log", schema.MODELS[1])])
def test_the_tables_of_the_template_are_those_that_create_tables_makes(resource, model):
    wanted = schema.definition(*model, "")
    given = of_type("DynamoDB::Table")[resource]
    assert given["TableName"] == {"Fn::Sub": "${Prefix}" + wanted["TableName"]}
    assert {key: given.get(key) for key in KEYS} == {key: wanted.get(key) for key in KEYS}
    by_name = {each["AttributeName"]: each["AttributeType"] for each in wanted["AttributeDefinitions"]}
    assert {each["AttributeName"]: each["AttributeType"] for each in given["AttributeDefinitions"]} == by_name
    assert ("TimeToLiveSpecification" in given) == (resource == "Data")


def test_the_tables_of_the_template_are_protected_and_outlive_it():
    for name, given in of_type("DynamoDB::Table").items():
        assert given["DeletionProtectionEnabled"], name
        recovery = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": {"Ref": "RecoveryDays"}}
        assert given["PointInTimeRecoverySpecification"] == recovery, name
        assert RESOURCES[name]["DeletionPolicy"] == RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


def test_whoever_serves_cannot_scan():
    serving = of_type("IAM::ManagedPolicy")["Serving"]["PolicyDocument"]["Statement"]
    actions = {action for each in serving for action in each["Action"]}
    assert "dynamodb:Query" in actions
    assert not {action for action in actions if "Scan" in action or "*" in action or "Table" in action} - {
        "dynamodb:DescribeTable"
    }


def test_everything_the_template_refers_to_is_in_it():
    text = json.dumps(TEMPLATE)
    named = set(re.findall(r'"Ref": "(\w+)"', text)) | set(re.findall(r"\$\{(\w+)", text))
    named |= set(re.findall(r'"Fn::GetAtt": \["(\w+)"', text))
    assert named <= RESOURCES.keys() | TEMPLATE["Parameters"].keys()


def test_every_alarm_says_what_it_means_and_tells_somebody():
    alarms = of_type("CloudWatch::Alarm")
    assert {each["MetricName"] for each in alarms.values()} == {
        "ReadThrottleEvents",
        "WriteThrottleEvents",
        "SuccessfulRequestLatency",
        "SystemErrors",
        "UserErrors",
    }
    for each in alarms.values():
        assert each["AlarmDescription"].endswith(".")
        assert each["AlarmActions"] == [{"Ref": "Topic"}]


# --- commands and settings ---


def unit(name: str) -> ConfigParser:
    read = ConfigParser(strict=False, interpolation=None)
    read.optionxform = str
    read.read(DEPLOY / name)
    return read


@pytest.mark.parametrize(
    "file", ["plenum.service", "plenum-backup.service", "plenum-backup-failed@.service", "Containerfile"]
)
def test_every_command_that_is_run_exists(file):
    text = (DEPLOY / file).read_text().replace('", "', " ")
    commands = re.findall(r"manage\.py (\w+)", text)
    assert commands
    assert set(commands) <= get_commands().keys()


@pytest.mark.parametrize("file", ["plenum.service", "plenum-backup.service", "Containerfile"])
def test_every_setting_that_is_given_is_one(file):
    settings = (BASE_DIR / "config" / "settings.py").read_text()
    lines = re.findall(r"^(?:Environment=|ENV )(.*)$", (DEPLOY / file).read_text(), re.MULTILINE)
    names = {pair.partition("=")[0] for line in lines for pair in shlex.split(line)} - {"PYTHONDONTWRITEBYTECODE"}
    assert {"PROFILE", "DATA_DIR"} <= names
    assert all(f'"{name}"' in settings for name in names)


def test_the_server_has_as_long_to_stop_as_it_may_take():
    graceful = re.search(r"^graceful_timeout = (\d+)$", (BASE_DIR / "config" / "gunicorn.py").read_text(), re.MULTILINE)
    assert int(unit("plenum.service")["Service"]["TimeoutStopSec"]) > int(graceful[1])


def test_a_backup_that_fails_is_told_of_and_the_command_that_makes_one_can_be_parsed():
    made = unit("plenum-backup.service")
    assert made["Unit"]["OnFailure"].startswith("plenum-backup-failed@")
    _, _, words = made["Service"]["ExecStart"].partition("manage.py backup ")
    given = load_command_class("upkeep", "backup").create_parser("manage.py", "backup").parse_args(words.split())
    assert given.into in {f"/var/lib/{each}" for each in made["Service"]["StateDirectory"].split()}
    assert not given.unencrypted
