"""What is in deploy/ fits what the code does: nobody else would notice before the day it is needed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from botocore.exceptions import ClientError
from django.core.management import get_commands, load_command_class
from django.urls import get_resolver, reverse
from prometheus_client.parser import text_string_to_metric_families

from config.gunicorn import keepalive
from config.settings import BASE_DIR
from config.web.requests import MAX_BODY_BYTES
from config.web.streams import HEARTBEAT_SECONDS
from foundation.store import keys
from foundation.store.dynamodb import errors, schema
from operations.upkeep import metrics
from tests.store.policy import Resolved, policy_of

pytestmark = pytest.mark.deep

DEPLOY = BASE_DIR / "deploy"
TEMPLATE = json.loads((DEPLOY / "aws" / "store.json").read_text())
RESOURCES = TEMPLATE["Resources"]
KEYS = ("BillingMode", "KeySchema")
OF_INDEX = ("IndexName", "KeySchema", "Projection")
CHECK = "dynamodb:ConditionCheckItem"  # which there is in transactions only


def of_type(name: str) -> dict[str, dict]:
    return {each: given["Properties"] for each, given in RESOURCES.items() if given["Type"] == f"AWS::{name}"}


@pytest.mark.parametrize(("resource", "model"), [("Data", schema.MODELS[0]), ("Log", schema.MODELS[1])])
def test_the_tables_of_the_template_are_those_that_create_tables_makes(resource, model):
    wanted = schema.definition(*model, "")
    given = of_type("DynamoDB::Table")[resource]
    assert given["TableName"] == {"Fn::Sub": "${Prefix}" + wanted["TableName"]}
    assert {key: given.get(key) for key in KEYS} == {key: wanted.get(key) for key in KEYS}
    indexes = [{key: index[key] for key in OF_INDEX} for index in given.get("GlobalSecondaryIndexes", ())]
    assert indexes == wanted.get("GlobalSecondaryIndexes", [])
    by_name = {each["AttributeName"]: each["AttributeType"] for each in wanted["AttributeDefinitions"]}
    assert {each["AttributeName"]: each["AttributeType"] for each in given["AttributeDefinitions"]} == by_name
    assert ("TimeToLiveSpecification" in given) == (resource == "Data")


def test_the_tables_of_the_template_are_protected_and_outlive_it():
    for name, given in of_type("DynamoDB::Table").items():
        assert given["DeletionProtectionEnabled"], name
        recovery = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": {"Ref": "RecoveryDays"}}
        assert given["PointInTimeRecoverySpecification"] == recovery, name
        assert RESOURCES[name]["DeletionPolicy"] == RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


def actions_of(name: str) -> set[str]:
    statements = of_type("IAM::ManagedPolicy")[name]["PolicyDocument"]["Statement"]
    return {action for each in statements for action in each["Action"]}


POLICIES = ("Web", "Worker", "Keeping")


def test_no_policy_allows_more_than_it_names_and_no_service_can_scan_or_change_tables():
    """That each permission is needed, tests/test_policy.py says."""
    assert not {action for name in POLICIES for action in actions_of(name) if "*" in action}
    changing = ("Scan", "CreateTable", "UpdateTable", "DeleteTable", "UpdateTimeToLive", "UpdateContinuousBackups")
    for name in ("Web", "Worker"):
        assert actions_of(name).isdisjoint(f"dynamodb:{each}" for each in changing)
    assert "dynamodb:DeleteTable" not in actions_of("Keeping")


def alarmed(metric: str) -> list[dict[str, str]]:
    """What each alarm on the metric watches, for a site with a prefix."""
    alarms = [Resolved("a-").resource(name) for name in of_type("CloudWatch::Alarm")]
    added = [
        each["MetricStat"]["Metric"] for alarm in alarms for each in alarm.get("Metrics", ()) if "MetricStat" in each
    ]
    found = [each["Dimensions"] for each in [*alarms, *added] if each.get("MetricName") == metric]
    return [{each["Name"]: each["Value"] for each in some} for some in found]


TABLES = [{"TableName": "a-vote_data"}, {"TableName": "a-vote_event_log"}]
INDEX = {"TableName": "a-vote_data", "GlobalSecondaryIndexName": "GSI1"}


def test_every_alarm_says_what_it_means_and_where_and_tells_somebody():
    for name in of_type("CloudWatch::Alarm"):
        each = Resolved("a-").resource(name)
        assert each["AlarmDescription"].endswith(".")
        assert each["AlarmDescription"].startswith("a-vote_"), "which site it is about"
        assert each["AlarmActions"] == each["OKActions"] == ["the Topic"]


@pytest.mark.parametrize("metric", ["ReadThrottleEvents", "WriteThrottleEvents"])
def test_throttles_are_told_by_table_and_index(metric):
    assert alarmed(metric) == [*TABLES, INDEX]


def test_conflicts_are_told_by_table():
    assert alarmed("TransactionConflict") == TABLES


def test_every_call_that_a_day_of_the_site_makes_is_watched_for_failures():
    """What a day makes is what its policies are asked for (tests/test_policy.py), in transactions or not."""
    watched = {(each["TableName"], f"dynamodb:{each['Operation']}") for each in alarmed("SystemErrors")}
    allowed = policy_of("a-", "Web", "Worker").permissions
    made = {
        (arn.rpartition("/")[2], action) for action, arn in allowed if "/index/" not in arn and "Desc" not in action
    }
    in_transactions = {("a-vote_data", CHECK), ("a-vote_event_log", CHECK), ("a-vote_event_log", "dynamodb:DeleteItem")}
    transactions = {(each["TableName"], "dynamodb:TransactWriteItems") for each in TABLES}
    assert watched == made - in_transactions | transactions


def test_few_slow_calls_on_a_quiet_day_are_no_alarm():
    slow = [each for each in of_type("CloudWatch::Alarm").values() if "ExtendedStatistic" in each]
    assert {each["MetricName"] for each in slow} == {"SuccessfulRequestLatency"}
    for each in slow:
        assert each["EvaluateLowSampleCountPercentile"] == "ignore"
        assert each["EvaluationPeriods"] == 3


def test_conflicts_between_transactions_are_not_taken_for_missing_permissions():
    """AWS counts them among the errors of users, with everything else that it refuses."""
    assert "UserErrors" not in json.dumps(TEMPLATE)


def test_whoever_overwrites_an_event_is_told_of():
    (pipe,) = of_type("Pipes::Pipe").values()
    (told,) = pipe["SourceParameters"]["FilterCriteria"]["Filters"]
    pattern = json.loads(told["Pattern"])
    assert pattern["eventName"] == ["MODIFY", "REMOVE"]
    prefixes = tuple(each["prefix"] for each in pattern["dynamodb"]["Keys"]["PK"]["S"])
    assert all(
        place.pk.startswith(prefixes)
        for place in (keys.event(5, "", 16), keys.checkpoint(1), keys.public_checkpoint(1))
    )
    assert of_type("DynamoDB::Table")["Log"]["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}, "no contents"


def test_copies_of_the_log_can_be_deleted_by_nobody():
    (vault,) = of_type("Backup::BackupVault").values()
    assert vault["LockConfiguration"] == {"MinRetentionDays": {"Ref": "CopyDays"}, "ChangeableForDays": 3}
    (copied,) = of_type("Backup::BackupSelection").values()
    assert copied["BackupSelection"]["Resources"] == [{"Fn::GetAtt": ["Log", "Arn"]}]


def test_what_the_site_does_itself_is_not_recorded_by_who_audits_reads():
    """CloudTrail records keys, and those of one cast are a voter and a ballot."""
    (trail,) = of_type("CloudTrail::Trail").values()
    selectors = trail["AdvancedEventSelectors"][0]["FieldSelectors"]
    (left_out,) = [each["NotStartsWith"] for each in selectors if each["Field"] == "userIdentity.arn"]
    assert left_out == [{"Fn::Sub": "arn:${AWS::Partition}:sts::${AWS::AccountId}:assumed-role/${SiteRoles}"}]


def test_keys_that_were_throttled_are_named_and_those_of_data_only_if_somebody_says_so():
    """Contributor Insights show keys as they are: those of a cast are a voter and a ballot."""
    named, unnamed = {"Enabled": True, "Mode": "THROTTLED_KEYS"}, {"Enabled": False}
    for resolved, of_data in ((Resolved("a-"), unnamed), (Resolved("a-", ThrottledKeys="yes"), named)):
        data = resolved.resource("Data")
        for each in (data, data["GlobalSecondaryIndexes"][0]):
            assert each["ContributorInsightsSpecification"] == of_data
        assert resolved.resource("Log")["ContributorInsightsSpecification"] == named


def test_tables_and_index_can_be_warmed_up_for_a_day_and_are_left_alone_otherwise():
    cold, hot = Resolved("a-"), Resolved("a-", DataWarmReads=40_000, DataWarmWrites=20_000, IndexWarmWrites=9_000)
    for name in ("Data", "Log"):
        assert "WarmThroughput" not in str(cold.resource(name))
    data, log = hot.resource("Data"), hot.resource("Log")
    assert data["WarmThroughput"] == {"ReadUnitsPerSecond": 40_000, "WriteUnitsPerSecond": 20_000}
    assert data["GlobalSecondaryIndexes"][0]["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12_000,  # CloudFormation wants both; a new table takes these anyway
        "WriteUnitsPerSecond": 9_000,
    }
    assert "WarmThroughput" not in log


@pytest.mark.deep
@pytest.mark.parametrize("file", sorted((DEPLOY / "aws").iterdir()), ids=lambda path: path.name)
def test_the_template_is_one_for_cloudformation(file):
    """CloudFormation takes 51,200 bytes; a longer one would have to lie in a bucket first."""
    from cfnlint.api import lint_file  # takes a second to load

    assert file.stat().st_size < 51_200
    assert [str(each) for each in lint_file(file)] == []


def test_a_prefix_is_one_that_names_of_tables_can_begin_with():
    pattern = TEMPLATE["Parameters"]["Prefix"]["AllowedPattern"]
    assert all(re.fullmatch(pattern, prefix) for prefix in ("", "plenum-", "city.2026_"))
    assert not any(re.fullmatch(pattern, prefix) for prefix in ("a b", "ü", "a/", "a*"))


# --- web and worker on AWS ---

SITE = yaml.safe_load((DEPLOY / "aws" / "site.yml").read_text())["Resources"]


def container(name: str) -> dict:
    (found,) = SITE[f"{name}Task"]["Properties"]["ContainerDefinitions"]
    return found


@pytest.mark.parametrize("name", ["Web", "Worker", "Commands"])
def test_a_task_is_given_settings_that_there_are_and_what_production_needs(name):
    settings = (BASE_DIR / "config" / "settings.py").read_text()
    given = {each["Name"] for each in container(name)["Environment"] + container(name)["Secrets"]}
    assert [each for each in given - OF_OTHERS if f'"{each}"' not in settings] == []
    required = {"SECRET_KEY", "HOSTS", "SITE_URL", "REGISTRATION", "MAIL_URL", "MAIL_FROM", "STORE_URL"}
    assert required <= given, "the image says the rest"
    assert {each["Name"] for each in container(name)["Secrets"]} == {"SECRET_KEY", "MAIL_URL"}
    assert container(name)["LogConfiguration"]["Options"]["awslogs-group"] == {"Ref": "Logs"}


def test_each_service_has_the_role_of_its_policy():
    policies = {"Web": ["Web"], "Worker": ["Worker"], "Commands": ["Worker", "Keeping"]}
    for name, wanted in policies.items():
        given = SITE[f"{name}Role"]["Properties"]["ManagedPolicyArns"]
        assert given == [{"Fn::ImportValue": {"Fn::Sub": f"${{StoreStack}}-{each}"}} for each in wanted]
        assert SITE[f"{name}Task"]["Properties"]["TaskRoleArn"] == {"Fn::GetAtt": [f"{name}Role", "Arn"]}
        exported = [TEMPLATE["Outputs"][each]["Export"]["Name"] for each in wanted]
        assert exported == [{"Fn::Sub": f"${{AWS::StackName}}-{each}"} for each in wanted]
    assert SITE["Web"]["Properties"]["TaskDefinition"] == {"Ref": "WebTask"}
    assert SITE["Worker"]["Properties"]["TaskDefinition"] == {"Ref": "WorkerTask"}


def test_what_audits_reads_knows_the_roles_of_the_site():
    """By the beginning of their names, if the site's stack is called as the parameter says."""
    names = [SITE[f"{each}Role"]["Properties"]["RoleName"]["Fn::Sub"] for each in ("Web", "Worker", "Commands")]
    assert [name.replace("${AWS::StackName}", "plenum") for name in names] == [
        "plenum-web",
        "plenum-worker",
        "plenum-commands",
    ]
    assert TEMPLATE["Parameters"]["SiteRoles"]["Default"] == "plenum-"


def test_the_worker_of_the_template_is_one_and_web_starts_none():
    assert {"Name": "WORKER", "Value": "apart"} in container("Web")["Environment"]
    assert container("Worker")["Command"] == ["python", "manage.py", "worker"]


def test_the_site_trusts_the_networks_of_the_load_balancer_and_no_other():
    (trusted,) = [each["Value"] for each in container("Web")["Environment"] if each["Name"] == "TRUSTED_PROXIES"]
    subnets = [each["Ref"] for each in SITE["Balancer"]["Properties"]["Subnets"]]
    assert trusted == {"Fn::Sub": ",".join(f"${{{each}.CidrBlock}}" for each in subnets)}
    of_tasks = SITE["Web"]["Properties"]["NetworkConfiguration"]["AwsvpcConfiguration"]["Subnets"]
    assert not {each["Ref"] for each in of_tasks} & set(subnets)


def test_the_load_balancer_waits_for_streams_and_for_whoever_stops():
    attributes = {each["Key"]: each["Value"] for each in SITE["Balancer"]["Properties"]["LoadBalancerAttributes"]}
    assert int(attributes["idle_timeout.timeout_seconds"]) >= max(60, 3 * HEARTBEAT_SECONDS)
    target = SITE["Targets"]["Properties"]
    assert target["HealthCheckPath"] == f"{reverse('readyz')}?store"
    assert "stickiness.enabled" not in [each["Key"] for each in target["TargetGroupAttributes"]]
    graceful = re.search(r"^graceful_timeout = (\d+)$", (BASE_DIR / "config" / "gunicorn.py").read_text(), re.MULTILINE)
    assert container("Web")["StopTimeout"] > int(graceful[1])
    port = int(re.search(r"PORT=(\d+)", (DEPLOY / "Containerfile").read_text())[1])
    assert target["Port"] == container("Web")["PortMappings"][0]["ContainerPort"] == port


def test_the_site_keeps_idle_connections_longer_than_any_proxy():
    """Or a request, a ballot too, could meet the end of its connection, and the proxy would answer 502."""
    attributes = {each["Key"]: each["Value"] for each in SITE["Balancer"]["Properties"]["LoadBalancerAttributes"]}
    patterns = {
        "nginx.conf": r"^    keepalive_timeout (\d+)s;",
        "Caddyfile": r"^\t\t\tkeepalive (\d+)s$",
    }
    found = {name: re.findall(each, (DEPLOY / name).read_text(), re.MULTILINE) for name, each in patterns.items()}
    assert all(len(each) == 1 for each in found.values()), found
    idle = [int(attributes["idle_timeout.timeout_seconds"]), *(int(seconds) for (seconds,) in found.values())]
    assert keepalive > max(idle)


def test_a_missing_permission_is_found_in_the_log():
    refused = ClientError({"Error": {"Code": "AccessDeniedException", "Message": "No."}}, "PutItem")
    sentence = SITE["Refused"]["Properties"]["FilterPattern"].strip('"')
    assert sentence in str(errors.translated(refused, "vote_data"))


# --- commands and settings ---

UNITS = ("plenum.service", "plenum-worker.service")
RUN = [*(path.name for path in sorted(DEPLOY.glob("*.service"))), "Containerfile"]
OF_OTHERS = {"PYTHONDONTWRITEBYTECODE", "PATH", "TMPDIR"}


def unit(name: str) -> dict[str, list[str]]:
    """What the unit says of its service, by name, as often as it says it."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / name).read_text().splitlines():
        if (pair := line.partition("="))[1] and not line.startswith("#"):
            found.setdefault(pair[0], []).append(pair[2])
    return found


@pytest.mark.parametrize("file", RUN)
def test_every_command_that_is_run_exists(file):
    text = (DEPLOY / file).read_text().replace('", "', " ")
    commands = re.findall(r"manage\.py (\w+)|(?<=bin/plenum )(\w+)", re.sub(r"^#.*$", "", text, flags=re.MULTILINE))
    assert {name for pair in commands for name in pair if name} <= get_commands().keys()


@pytest.mark.parametrize("file", RUN)
def test_every_setting_that_is_given_is_one(file):
    settings = (BASE_DIR / "config" / "settings.py").read_text()
    lines = re.findall(r"^(?:Environment=|ENV )(.*)$", (DEPLOY / file).read_text(), re.MULTILINE)
    names = {pair.partition("=")[0] for line in lines for pair in shlex.split(line)} - OF_OTHERS
    assert [name for name in names if f'"{name}"' not in settings] == []


@pytest.mark.parametrize("name", UNITS)
def test_server_and_worker_run_on_the_same_settings_and_data(name):
    found = unit(name)
    assert {"PROFILE=production", "DATA_DIR=/var/lib/plenum"} <= set(found["Environment"][0].split())
    assert found["EnvironmentFile"] == ["/etc/plenum/environment"]
    assert (found["User"], found["StateDirectory"]) == (["plenum"], ["plenum"])
    assert found["Restart"] == ["always"]
    assert found["StartLimitIntervalSec"] == ["0"], "systemd gives up on none"


def test_the_server_starts_no_worker_where_one_has_a_unit_of_its_own():
    assert "WORKER=apart" in unit("plenum.service")["Environment"][0].split()
    assert unit("plenum-worker.service")["ExecStart"][0].endswith("manage.py worker")


def test_a_restart_of_the_server_is_one_of_the_worker_and_keeps_the_port():
    assert unit("plenum-worker.service")["PartOf"] == ["plenum.service"]
    assert unit("plenum.service")["Requires"] == ["plenum.socket"]
    assert unit("plenum.socket")["ListenStream"] == ["127.0.0.1:8000"]
    assert "plenum.socket" in unit("plenum.service")["After"][0].split()
    installing = (DEPLOY / "install").read_text()
    assert "deploy/*.socket" in installing.replace('"', "").replace("$code/", "")
    assert "systemctl enable --quiet plenum.socket plenum plenum-worker" in installing


def test_the_server_has_as_long_to_stop_as_it_may_take():
    graceful = re.search(r"^graceful_timeout = (\d+)$", (BASE_DIR / "config" / "gunicorn.py").read_text(), re.MULTILINE)
    assert int(unit("plenum.service")["TimeoutStopSec"][0]) > int(graceful[1])


# What `systemd-analyze security` weighs most; `make test-deploy` asks itself.
CLOSED = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "ProtectProc": "invisible",
    "PrivateDevices": "yes",
    "PrivateUsers": "yes",
    "ProtectKernelModules": "yes",
    "ProtectClock": "yes",
    "RestrictNamespaces": "yes",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "MemoryDenyWriteExecute": "yes",
    "SystemCallFilter": "@system-service",
    "UMask": "0077",
}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_gives_a_process_no_more_than_it_needs(name):
    assert {each: unit(name).get(each, [None])[0] for each in CLOSED} == CLOSED
    assert "~@resources" not in unit(name)["SystemCallFilter"], "counts on request are limited by setrlimit"


# --- proxies ---


def test_nginx_passes_on_what_the_site_goes_by():
    text = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    said = dict(re.findall(r"proxy_set_header (\S+) (\S+);", text))
    assert said["Host"] == "$http_host", "with its port: a browser tells it in Origin"
    assert said["X-Forwarded-For"] == "$remote_addr", "not added to what a client says of itself"
    assert said["X-Forwarded-Proto"] == "$scheme"
    assert re.search(r"proxy_pass http://plenum;", text), "without a path, which would cut ours"
    assert int(re.search(r"client_max_body_size (\d+)m;", text)[1]) * 1024**2 >= MAX_BODY_BYTES
    assert int(re.search(r"proxy_read_timeout (\d+)s;", text)[1]) >= max(60, 3 * HEARTBEAT_SECONDS), (
        "also for quiet streams"
    )
    assert "underscores_in_headers off;" in text, "no client says SCRIPT_NAME"
    assert "X-Accel-Buffering" not in text, "what a stream says of itself is heard"


SECRET = {"token", "key", "signed"}  # what a part of an address is called that nobody else may know


def personal_links() -> list[str]:
    """Every address with something in it that nobody else may know."""
    found = []
    for name, routes in get_resolver().reverse_dict.lists():
        for path, names in (route for candidates, *_ in routes for route in candidates):
            if isinstance(name, str) and SECRET & set(names):
                found.append("/" + path % dict.fromkeys(names, "x"))
    return found


def links_left_out(file: str) -> re.Pattern[str]:
    """What the file recognises them by."""
    (found,) = re.findall(r"location ~ (\S+) \{|regexp \"(\S+)\"", (DEPLOY / file).read_text())
    return re.compile("".join(found))


@pytest.mark.parametrize("file", ["nginx.conf", "Caddyfile"])
def test_no_proxy_of_ours_logs_a_personal_link(file):
    links = [*personal_links(), reverse("by_code", args=["x"])]  # other codes are shown to everybody
    assert {"/vote/x/", "/password/reset/x/x/", "/setup/x/", "/doctor/x/"} <= set(links)
    asked = [f"{reverse('pair_booth')}?code=x", f"{reverse('game_stream', args=['x', 'screen'])}?token=x"]
    links += asked if file == "Caddyfile" else [link.partition("?")[0] for link in asked]  # nginx looks at paths alone
    pattern = links_left_out(file)
    assert [link for link in links if not pattern.search(link)] == []
    assert [link for link in links if not pattern.search(f"/below{link}")] == []
    plain = ("/", "/register/", "/vote", "/elections/", "/election/Board/vote/", "/news/2026/post/")
    assert [page for page in plain if pattern.search(page)] == []


def test_nginx_logs_nothing_of_them():
    (links,) = re.findall(r"location ~ .*?\{(.*?)\}", (DEPLOY / "nginx.conf").read_text(), re.DOTALL)
    assert "access_log off;" in links
    assert re.search(r"error_log \S+ crit;", links), "which has the address of what went wrong"
    text = (DEPLOY / "nginx.conf").read_text()
    (logged,) = re.findall(r"log_format plenum (.*?);", text, re.DOTALL)
    assert not re.search(r"referer|\$request\b|request_uri|args|query", logged), "which may have a link in them"
    assert re.findall(r"access_log (.*);", text) == ["/var/log/nginx/access.log plenum", "off"]


def test_caddy_lets_everything_through_that_the_site_takes():
    text = (DEPLOY / "Caddyfile").read_text()
    assert int(re.search(r"max_size (\d+)MiB", text)[1]) * 1024**2 >= MAX_BODY_BYTES
    assert "reverse_proxy {$PLENUM_SERVER:127.0.0.1:8000} {" in text
    said = re.findall(r"header_up (\S+)", text)
    assert said == ["-Script_name", "-Path_info"], "what it says by itself is right"
    assert "trusted_proxies" not in text, "it would believe what clients say"
    assert "flush_interval" not in text, "it passes streams on at once by itself"
    assert "encode" not in text, "streams are not to be compressed"


@pytest.mark.parametrize("file", ["nginx.conf", "Caddyfile", "prometheus.yml"])
def test_whoever_asks_the_server_asks_where_it_listens(file):
    assert "127.0.0.1:8000" in (DEPLOY / file).read_text()


# --- containers ---


def test_the_base_of_the_image_is_named_by_its_digest():
    base = re.search(r"^ARG BASE=(\S+)$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim@sha256:[0-9a-f]{64}", base[1])


def test_a_container_is_healthy_if_store_and_worker_are():
    assert "/readyz'" in (DEPLOY / "Containerfile").read_text()
    services = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    assert services["server"]["environment"]["WORKER"] == "apart"
    assert services["worker"]["command"] == ["python", "manage.py", "worker"]
    assert services["server"]["volumes"] == services["worker"]["volumes"]


def test_the_settings_of_a_site_go_into_no_image_and_no_commit():
    kept = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]["server"]["env_file"]
    name = (DEPLOY / kept).resolve().relative_to(BASE_DIR).name
    assert name in (BASE_DIR / ".dockerignore").read_text().split()
    assert f"/{name}" in (BASE_DIR / ".gitignore").read_text().split()


def test_only_the_proxy_can_be_reached_from_outside():
    composed = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    assert [name for name, each in composed["services"].items() if "ports" in each] == ["proxy"]
    assert "@sha256:" in composed["services"]["proxy"]["image"]
    subnet = composed["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert composed["services"]["server"]["environment"]["TRUSTED_PROXIES"] == subnet
    port = re.search(r"PORT=(\d+)", (DEPLOY / "Containerfile").read_text())[1]
    assert composed["services"]["proxy"]["environment"]["PLENUM_SERVER"] == f"server:{port}"


# --- watching ---

GROUPS = yaml.safe_load((DEPLOY / "prometheus-rules.yml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]
ASKED = [rule["expr"] for rule in RULES]


@pytest.fixture
def given(site, client) -> dict[str, set[str]]:
    """Every figure that `/metrics` gives, with the names of its labels."""
    metrics.observe_job("log", "done", True)
    metrics.observe_cost("retries", "conflict", 1)
    metrics.CONNECTIONS_ENDED.labels("request").inc(0)
    client.get("/")
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(client.get("/metrics").content.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
        found.setdefault(family.name, set())
    return found


def test_alarms_ask_for_figures_that_there_are(given):
    names = {name for asked in ASKED for name in re.findall(r"\bplenum_\w+", asked)}
    assert len(names) > 9
    assert names - given.keys() == set()


def test_alarms_ask_by_labels_that_there_are(given):
    """Only what stands behind a figure in braces; what is summed by is told by the names of the figure's labels."""
    for asked in ASKED:
        for name, labels in re.findall(r"(plenum_\w+)\{([^}]*)\}", asked):
            assert set(re.findall(r"(\w+)(?:!~|=~|!=|=)", labels)) <= given[name], asked


def test_every_alarm_of_the_rules_says_what_it_means():
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_a_job_is_late_by_its_own_pause_and_never_while_the_site_is_paused(given):
    late = next(rule["expr"] for rule in RULES if rule["alert"] == "PlenumJobLate")
    assert "plenum_worker_every_seconds" in late
    assert "unless on () max(plenum_paused) == 1" in late


def test_everything_the_page_of_watching_should_alarm_on_does():
    alarmed = " ".join(rule["expr"] for rule in RULES)
    for figure in ("worker_up", "log_lag_seconds", "outbox_mails", "store_up", "disk_free_bytes", "backup_age_seconds"):
        assert f"plenum_{figure}" in alarmed


# --- installing ---


ANSWERS = {
    "id": "[ $# = 1 ] && [ $1 = -u ] && echo 0; [ $1 != plenum ]",
    "systemctl": '[ $1 != is-active ] || case " $ACTIVE " in *" $3 "*) exit 0 ;; *) exit 3 ;; esac',
    "plenum": 'echo "$LOOK"; [ "$LOOK" != refused ]',
}


@pytest.fixture
def machine(tmp_path):
    """Code in a folder that its units expect, on a machine whose programs only write down how they were called."""
    code, bin_ = tmp_path / "plenum", tmp_path / "bin"
    shutil.copytree(DEPLOY, code / "deploy")
    (code / "requirements.txt").write_text("")
    for path in (code / "deploy").glob("*.service"):
        path.write_text(path.read_text().replace("/srv/plenum", str(code)))
    (code / ".venv" / "bin").mkdir(parents=True)
    bin_.mkdir()
    programs = [bin_ / name for name in ("id", "useradd", "ln", "install", "systemctl", "python3")]
    for program in [*programs, code / ".venv" / "bin" / "pip", code / "deploy" / "plenum"]:
        answer = ANSWERS.get(program.name, "exit 0")
        program.write_text(f'#!/bin/sh\necho "{program.name} $*" >> {tmp_path}/calls\n{answer}\n')
        program.chmod(0o755)

    def install(
        *options: str, settings: str = "environment", active: str = "", look: str = ""
    ) -> tuple[int, str, list[str]]:
        (tmp_path / "calls").write_text("")
        environment = {"PATH": f"{bin_}:/usr/bin:/bin", "PLENUM_ENVIRONMENT": str(tmp_path / settings)}
        environment |= {"PLENUM_UNITS": str(tmp_path / "units"), "ACTIVE": active, "LOOK": look}
        asked = [code / "deploy" / "install", *options]
        said = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False, timeout=240)
        return said.returncode, said.stdout + said.stderr, (tmp_path / "calls").read_text().splitlines()

    return install


def test_installing_makes_everything_in_order(machine):
    status, said, calls = machine("--registration", "invited")
    assert status == 0, said
    order = ["useradd", "pip", "ln", "plenum init", "install", "systemctl daemon-reload", "systemctl enable"]
    order += ["systemctl stop", "systemctl start", "systemctl restart"]
    assert [called for called in map(what, calls) if called not in ("id", "python3", "systemctl is-active")] == order
    assert "plenum init --registration invited" in calls
    (copied,) = [call for call in calls if call.startswith("install ")]
    assert {"plenum.service", "plenum-worker.service", "plenum.socket"} <= {Path(word).name for word in copied.split()}


def what(call: str) -> str:
    """The program, and what it was to do."""
    program, *words = call.split()
    return f"{program} {words[0]}" if program in ("systemctl", "plenum") else program


def restarts(calls: list[str]) -> list[str]:
    return [call.partition(" ")[2] for call in calls if what(call) in ("systemctl stop", "systemctl restart")]


ALL = "restart plenum plenum-worker plenum-backup.timer"


def test_an_upgrade_restarts_server_and_worker_and_keeps_the_port(machine, tmp_path):
    (tmp_path / "kept").write_text("PROFILE=production\n")
    machine(settings="kept")
    status, said, calls = machine(settings="kept", active="plenum plenum.socket", look="There is nothing to upgrade.")
    assert (status, restarts(calls)) == (0, [ALL]), said


def test_an_upgrade_that_cannot_be_says_so_before_anything_is_restarted(machine, tmp_path):
    (tmp_path / "kept").write_text("PROFILE=production\n")
    status, said, calls = machine(
        settings="kept", active="plenum", look="The store has the format 0; this one writes 2."
    )
    assert (status, restarts(calls), "plenum upgrade" in said) == (1, [], True)
    status, said, calls = machine(settings="kept", active="plenum", look="refused")
    assert (status, restarts(calls), "Nothing was restarted. Put right" in said) == (1, [], True)


@pytest.mark.parametrize(
    ("settings", "address"),
    [("PORT=8001", "127.0.0.1:8001"), ("HOST='::1'\nPORT=9", "[::1]:9"), ("HOST=0.0.0.0", "0.0.0.0:8000"), ("", "")],
)
def test_systemd_listens_where_the_settings_say(machine, tmp_path, settings, address):
    (tmp_path / "kept").write_text(settings)
    machine(settings="kept")
    said = (tmp_path / "units" / "plenum.socket.d" / "address.conf").read_text()
    assert re.findall(r"^ListenStream=(.+)$", said, re.MULTILINE) == [address] * bool(address)
    _status, _said, calls = machine(settings="kept", active="plenum.socket")
    assert restarts(calls) == [ALL], "nothing has changed"
    (tmp_path / "kept").write_text("PORT=7777")
    _status, _said, calls = machine(settings="kept", active="plenum.socket")
    assert restarts(calls) == ["stop plenum.socket plenum plenum-worker", ALL]


def test_installing_again_leaves_the_settings_alone(machine, tmp_path):
    (tmp_path / "kept").write_text("PROFILE=production\n")
    status, _said, calls = machine(settings="kept")
    assert status == 0
    assert not [call for call in calls if call.startswith("plenum init")]
    assert [call for call in calls if call.startswith("systemctl restart")]


def test_installing_elsewhere_than_the_units_expect_is_a_sentence(machine, tmp_path):
    (tmp_path / "plenum").rename(tmp_path / "elsewhere")
    (tmp_path / "plenum" / "deploy").mkdir(parents=True)
    (tmp_path / "plenum" / "deploy" / "install").symlink_to(tmp_path / "elsewhere" / "deploy" / "install")
    status, said, calls = machine()
    assert (status, "The units expect the code in" in said) == (1, True)
    assert not [call for call in calls if call.startswith("useradd")]


def test_a_backup_that_fails_is_told_of_and_the_command_that_makes_one_can_be_parsed():
    made = unit("plenum-backup.service")
    assert made["OnFailure"][0].startswith("plenum-backup-failed@")
    program, folder, recipients, *options = made["ExecStart"][0].split()
    assert (program, recipients) == ("/srv/plenum/deploy/backup", "/etc/plenum/backup-recipients")
    assert folder in {f"/var/lib/{each}" for each in made["StateDirectory"][0].split()}
    command = load_command_class("operations.upkeep", "backup_made")
    assert command.create_parser("manage.py", "backup_made").parse_args([f"{folder}/file", *options]).keep == 35
