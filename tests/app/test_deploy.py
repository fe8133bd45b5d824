"""What hosts the app: manifests by the published schemas, and files that name one another rightly."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: one["kind"])
def test_manifests_follow_the_published_schemas(manifest: dict[str, Any]) -> None:
    for version in ("1.30", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_the_validation_refuses_a_wrong_name() -> None:
    wrong = {**MANIFESTS[0], "spec": {**MANIFESTS[0]["spec"], "replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.30", strict=True)


def test_the_container_is_not_root_and_writes_nowhere_but_tmp() -> None:
    pod = MANIFESTS[0]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/tmp"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)


def test_parts_select_the_same_pods_and_ports() -> None:
    by_kind = {one["kind"]: one for one in MANIFESTS}
    labels = by_kind["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert by_kind["Service"]["spec"]["selector"] == labels
    assert by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == "attention-lab"
    path = by_kind["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]
    assert path["backend"]["service"]["port"]["name"] == by_kind["Service"]["spec"]["ports"][0]["name"]


def test_compose_names_files_and_parts_that_exist() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    build = compose["services"]["app"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    proxy = compose["services"]["proxy"]
    assert {one["source"] for one in proxy["configs"]} == set(compose["configs"])
    included = {one["target"].rsplit("/", 1)[1] for one in proxy["configs"]}
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert all(f"include {name};" in nginx for name in included)
    assert "app:8501" in compose["configs"]["servers"]["content"]


def test_logs_of_the_proxy_have_paths_without_queries() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    lines = [line for line in nginx.splitlines() if line.strip().startswith(("log_format", "access_log"))]
    assert len(lines) == 2
    assert not any(name in nginx for name in ("$request ", '$request"', "$request_uri", "$http_referer"))
