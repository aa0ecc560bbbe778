"""The examples for Prometheus and Grafana: they name figures that there are, each alert fires at
its bound and is quiet below it.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboard.gateway import errors
from dashboard.management.commands.metrics import Gauges
from dashboard.monitoring import calls, requests

EXAMPLES = Path(__file__).parents[2] / "dashboard/deploy"
RULES = yaml.safe_load((EXAMPLES / "prometheus-rules.yml").read_text(encoding="utf-8"))
ALERTS = {rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"]}
BOARD = json.loads((EXAMPLES / "grafana-board.json").read_text(encoding="utf-8"))
COUNTED = (
    requests.SECONDS,
    requests.UNDER_WAY,
    calls.SECONDS,
    calls.LONGEST_SECONDS,
    calls.BREAKERS_OPEN,
)
CALLS, REQUESTS = "desk_api_call_seconds", "desk_request_seconds"
QUIET = {
    'up{job="entry-desk"}': "1x99",
    "desk_database_up": "1x99",
    "desk_worker_seen_seconds": "20x99",
    "desk_task_oldest_wait_seconds": "600x99",
    "desk_job_oldest_wait_seconds": "1800x99",
    "desk_not_sure_oldest_seconds": "86400x99",
    "desk_not_sure": "20x99",
    "desk_mails_given_up": "0x99",
    "desk_mails_waiting": "50x99",
    'desk_breakers_open{of="service"}': "0x99",
    'desk_breakers_open{of="keys"}': "1x99",
    CALLS + '_count{outcome="ok"}': "0+100x99",
    CALLS + '_count{outcome="Unavailable"}': "0+5x99",
    CALLS + '_count{outcome="Rejected"}': "0+50x99",
    CALLS + '_bucket{operation="list",le="2.5"}': "0+95x99",
    CALLS + '_bucket{operation="list",le="5"}': "0+100x99",
    CALLS + '_bucket{operation="list",le="+Inf"}': "0+100x99",
    REQUESTS + '_count{status="500"}': "1x99",
    REQUESTS + '_count{status="503"}': "0+9x99",
    'desk_longest_wait_seconds{of="request"}': "30x99",
    'desk_longest_wait_seconds{of="call"}': "40x99",
    'desk_requests_under_way{instance="a",method="GET"}': "30x99",
    'desk_requests_under_way{instance="a",method="POST"}': "20x99",
    "desk_database_connections": "80x99",
    "desk_keys_refused": "3x99",
}
"""Figures of a good day, each up to its bound, of 100 minutes."""
LOUD = {
    "EntryDeskMetricsAway": ('up{job="entry-desk"}', "0x99", {"job": "entry-desk"}),
    "EntryDeskDatabaseAway": ("desk_database_up", "0x99", {}),
    "EntryDeskNoWorker": ("desk_worker_seen_seconds", "121x99", {}),
    "EntryDeskTasksWait": ("desk_task_oldest_wait_seconds", "601x99", {}),
    "EntryDeskJobsWait": ("desk_job_oldest_wait_seconds", "1801x99", {}),
    "EntryDeskNotSure": ("desk_not_sure_oldest_seconds", "86401x99", {}),
    "EntryDeskManyNotSure": ("desk_not_sure", "21x99", {}),
    "EntryDeskMailsGivenUp": ("desk_mails_given_up", "1x99", {}),
    "EntryDeskMailsWait": ("desk_mails_waiting", "51x99", {}),
    "EntryDeskServiceAway": ('desk_breakers_open{of="service"}', "1x99", {"of": "service"}),
    "EntryDeskCallsFail": (CALLS + '_count{outcome="Unavailable"}', "0+9x99", {}),
    "EntryDeskCallsAreSlow": (CALLS + '_bucket{operation="list",le="2.5"}', "0+80x99", {}),
    "EntryDeskErrors": (REQUESTS + '_count{status="500"}', "0+1x99", {}),
    "EntryDeskLongWait": (
        'desk_longest_wait_seconds{of="request"}', "31x99", {"of": "request"},
    ),
    "EntryDeskThreadsFull": (
        'desk_requests_under_way{instance="a",method="GET"}', "31x99", {"instance": "a"},
    ),
    "EntryDeskConnectionsFew": ("desk_database_connections", "81x99", {}),
    "EntryDeskKeysRefused": ("desk_keys_refused", "4x99", {}),
}  # fmt: skip
"""By alert: the one figure that is above its bound, and the labels that the alert then has."""


def expressions() -> list[str]:
    panels = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    return [*(rule["expr"] for rule in ALERTS.values()), *panels]


def test_every_figure_that_is_named_is_served(db):
    of_processes = (metric for each in COUNTED for metric in each.collect())
    known = {metric.name for metric in (*of_processes, *Gauges().collect())}
    named = {name for each in expressions() for name in re.findall(r"desk_\w+", each)}
    assert {re.sub("_(count|bucket)$", "", name) for name in named} <= known
    assert known <= {re.sub("_(count|bucket)$", "", name) for name in named}


def test_every_outcome_that_is_named_is_one_of_the_gateway():
    chosen = [each for text in expressions() for each in re.findall(r'outcome=~"([^"]+)"', text)]
    named = {name for each in chosen for name in each.split("|")}
    assert named
    assert [name for name in named if not hasattr(errors, name)] == []


@pytest.mark.parametrize("alert", ALERTS)
def test_every_alert_says_how_urgent_it_is_and_what_to_do(alert):
    rule = ALERTS[alert]
    assert rule["labels"]["severity"] in {"page", "look"}
    assert re.fullmatch(r"[A-Z].{40,}\.", rule["annotations"]["summary"])


def test_the_panels_of_the_board_have_words_and_stand_beside_each_other():
    panels = BOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["description"].endswith(".") for panel in panels)
    cells = [cell for panel in panels for cell in cells_of(**panel["gridPos"])]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def cells_of(x: int, y: int, w: int, h: int) -> list[tuple[int, int]]:
    return [(x + right, y + down) for right in range(w) for down in range(h)]


def promtool(*arguments: str) -> str:
    if shutil.which("promtool") is None and os.environ.get("REQUIRE_PROMTOOL") != "1":
        pytest.skip("promtool is not installed")
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def case(figures: dict[str, str], fires: dict[str, dict[str, str]]) -> dict[str, Any]:
    """A test of promtool: which alerts there are after 90 minutes of these figures."""
    expected = []
    for name, rule in ALERTS.items():
        alert = {"eval_time": "90m", "alertname": name, "exp_alerts": []}
        if name in fires:
            labels = {**rule["labels"], **fires[name]}
            known = {"exp_labels": labels, "exp_annotations": rule["annotations"]}
            alert["exp_alerts"] = [known]
        expected.append(alert)
    series = [{"series": name, "values": values} for name, values in figures.items()]
    return {"interval": "1m", "input_series": series, "alert_rule_test": expected}


def test_each_alert_fires_alone_above_its_bound_and_none_below(tmp_path):
    assert set(LOUD) == set(ALERTS)
    cases = [case(QUIET, {})]
    for name, (figure, values, labels) in LOUD.items():
        assert figure in QUIET
        cases.append(case({**QUIET, figure: values}, {name: labels}))
    rules = str(EXAMPLES / "prometheus-rules.yml")
    tests = {"rule_files": [rules], "evaluation_interval": "1m", "tests": cases}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(tests), encoding="utf-8")
    assert f"{len(ALERTS)} rules found" in promtool("check", "rules", rules)
    assert "SUCCESS" in promtool("test", "rules", str(tmp_path / "tests.yml"))
