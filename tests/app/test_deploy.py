"""What hosts the app: manifests by the published schemas, and files that name one another rightly."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
)
OF_GATEWAYS = "gateway.networking.k8s.io/v1"  # whose schemas are not among those of Kubernetes
BY_NAME = {(one["kind"], one["metadata"]["name"]): one for one in MANIFESTS}
README = (DEPLOY / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def kubernetes_validate() -> Any:
    import kubernetes_validate  # noqa: PLC0415  (its schemas bring a grammar that takes two seconds)

    return kubernetes_validate


@pytest.mark.slow
@pytest.mark.parametrize(
    "manifest",
    [one for one in MANIFESTS if one["apiVersion"] != OF_GATEWAYS],
    ids=lambda one: f"{one['kind']} {one['metadata']['name']}",
)
def test_deploy_manifests_follow_the_published_schemas(
    manifest: dict[str, Any], kubernetes_validate: Any
) -> None:
    for version in ("1.30", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("name", ["attention-lab", "attention-lab-proxy"])
def test_deploy_containers_are_not_root_and_spread_over_nodes(name: str) -> None:
    pod = BY_NAME["Deployment", name]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    written = {mount["mountPath"] for mount in container["volumeMounts"]} - {"/etc/lab"}
    assert written <= {"/tmp", "/var/cache/nginx"}
    (spread,) = pod["topologySpreadConstraints"]
    labels = BY_NAME["Deployment", name]["spec"]["template"]["metadata"]["labels"]
    assert spread["labelSelector"]["matchLabels"] == labels
    assert BY_NAME["PodDisruptionBudget", name]["spec"]["selector"]["matchLabels"] == labels
    assert BY_NAME["NetworkPolicy", name]["spec"]["podSelector"]["matchLabels"] == labels


def test_deploy_probes_and_image_name_are_valid() -> None:
    (container,) = BY_NAME["Deployment", "attention-lab"]["spec"]["template"]["spec"]["containers"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
    registry, _, rest = container["image"].partition("/")
    assert "." in registry
    assert rest.partition(":")[2] not in ("", "latest")  # which a node would ask for anew each time
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert 'docker build -f deploy/Dockerfile -t "$IMAGE" . && docker push "$IMAGE"' in README
    assert f"s#{container['image']}#$IMAGE#" in README


def test_deploy_parts_name_one_another() -> None:
    app = BY_NAME["Deployment", "attention-lab"]["spec"]["template"]["metadata"]["labels"]
    proxy = BY_NAME["Deployment", "attention-lab-proxy"]["spec"]["template"]["metadata"]["labels"]
    assert BY_NAME["Service", "attention-lab-replicas"]["spec"]["selector"] == app
    assert BY_NAME["Service", "attention-lab"]["spec"]["selector"] == proxy
    target = BY_NAME["HorizontalPodAutoscaler", "attention-lab"]["spec"]["scaleTargetRef"]["name"]
    assert ("Deployment", target) in BY_NAME
    places = BY_NAME["ConfigMap", "attention-lab-places"]["data"]
    assert "attention-lab-replicas.default.svc" in places["lab-servers.conf"]
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert all(f"include {name};" in nginx for name in places)
    (container,) = BY_NAME["Deployment", "attention-lab-proxy"]["spec"]["template"]["spec"]["containers"]
    assert f"listen {container['ports'][0]['containerPort']};" in places["lab-listen.conf"]
    assert "--from-file=deploy/nginx.conf" in README


def test_deploy_gateway_ends_tls_and_redirects_http() -> None:
    gateway = BY_NAME["Gateway", "attention-lab"]["spec"]
    listeners = {each["name"]: each for each in gateway["listeners"]}
    assert listeners["https"]["protocol"] == "HTTPS"
    (certificate,) = listeners["https"]["tls"]["certificateRefs"]
    assert f"kubectl create secret tls {certificate['name']}" in README
    routes = {
        each["spec"]["parentRefs"][0]["sectionName"]: each["spec"]["rules"]
        for (kind, _), each in BY_NAME.items()
        if kind == "HTTPRoute"
    }
    ((backend,),) = (rule["backendRefs"] for rule in routes["https"])
    service = BY_NAME["Service", backend["name"]]
    assert backend["port"] == service["spec"]["ports"][0]["port"]
    ((redirect,),) = (rule["filters"] for rule in routes["http"])
    assert redirect["requestRedirect"]["scheme"] == "https"
    assert "backendRefs" not in routes["http"][0]
    assert not [one for one in MANIFESTS if one["kind"] == "Ingress"]


def test_deploy_app_accepts_its_proxy_only() -> None:
    policy = BY_NAME["NetworkPolicy", "attention-lab"]["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    assert "egress" not in policy
    (rule,) = policy["ingress"]
    assert rule["from"] == [{"podSelector": {"matchLabels": {"app": "attention-lab-proxy"}}}]


def test_deploy_visitors_per_replica_is_one_number_everywhere() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(DEPLOY.iterdir()) if path.is_file()]
    said = {number for text in texts for number in re.findall(r"(\d+) visitors a replica", text)}
    assert said == {"75"}
    assert re.search(r"^\| 150 students, every 2 s \| 1 \|", README, re.MULTILINE)


def test_deploy_guides_state_equal_waits_for_a_class() -> None:
    """A number that was measured again stood in one of three, where the others promised twice as many."""
    book = DEPLOY.parent / "docs" / "book"
    guides = [README, *((book / name).read_text(encoding="utf-8") for name in ("class.md", "speed.md"))]
    thirty, more = (
        [re.findall(pattern, " ".join(guide.split())) for guide in guides]
        for pattern in (r"Thirty students who act [^.;(]*? wait (\d+) ms", r"[,.] (\d+) wait (\d+) ms")
    )
    assert len({*map(tuple, thirty)}) == 1 == len(thirty[0]), thirty
    assert len({*map(tuple, more)}) == 1 == len(more[0]), more
    assert more[0][0][0] in README.partition("count on **")[2][:4]


def copied_into_the_image() -> set[str]:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    return {
        name.rstrip("/")
        for line in lines
        if line.startswith("COPY ") and "--from" not in line
        for name in line.split()[1:-1]
    }


# Every page in both languages, from nothing but what the image holds.
OPENED = """
import app
import attn_words
from pages import PAGES
for spoken in attn_words.LANGUAGES:
    with attn_words.speaking(spoken):
        drawn = sum(bool(page.at().view.figure) for page in PAGES.values())
        print(spoken, drawn, max(PAGES[""].at().sentence) > "一")
"""


@pytest.mark.slow
def test_deploy_image_has_every_file_that_the_app_needs(tmp_path: Path) -> None:
    for name in copied_into_the_image():
        for path in DEPLOY.parent.glob(name):
            to = tmp_path / path.relative_to(DEPLOY.parent)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, to)
    here = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    run = [sys.executable, "-c", OPENED]
    said = subprocess.run(run, cwd=tmp_path, env=here, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr[-3000:]
    assert said.stdout.splitlines() == ["en 9 False", "zh 9 True"]


def test_deploy_docker_context_has_only_what_the_image_needs() -> None:
    copied = copied_into_the_image()
    ignored = (DEPLOY.parent / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert all(any(DEPLOY.parent.glob(name)) for name in copied)


def test_deploy_base_images_can_be_pinned_by_digest() -> None:
    makefile = (DEPLOY.parent / "Makefile").read_text(encoding="utf-8")
    docker = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    bases = dict(re.findall(r"\b(PYTHON|NODE|NGINX)=([\w.-]+:[\w.-]+)", makefile))
    assert set(bases) == {"PYTHON", "NODE", "NGINX"}
    for name, image in bases.items():
        assert f"${{{name}:-{image}}}" in compose
        assert name == "NGINX" or (f"ARG {name}={image}" in docker and f"FROM ${{{name}}}" in docker)


def test_deploy_compose_names_files_and_services_that_exist() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    build = compose["services"]["app"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    proxy = compose["services"]["proxy"]
    assert {one["source"] for one in proxy["configs"]} == set(compose["configs"])
    included = {one["target"].rsplit("/", 1)[1] for one in proxy["configs"]}
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert all(f"include {name};" in nginx for name in included)
    assert "app:8501" in compose["configs"]["servers"]["content"]


def test_deploy_proxy_logs_have_paths_without_queries() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text()
    lines = [line for line in nginx.splitlines() if line.strip().startswith(("log_format", "access_log"))]
    assert len(lines) == 2
    assert not any(name in nginx for name in ("$request ", '$request"', "$request_uri", "$http_referer"))


def test_deploy_guide_excludes_a_host_model_while_the_image_lacks_it() -> None:
    """The image has no transformers and its limits no room: as long as that is so, the guide says so."""
    named = (DEPLOY / "Dockerfile", DEPLOY.parent / "requirements-lock.txt")
    image = "".join(path.read_text(encoding="utf-8") for path in named)
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    (row,) = [line for line in README.splitlines() if line.startswith("| `ATTENTION_LAB_MODEL`")]
    assert "transformers" not in image
    assert "requirements-models" not in image
    assert "ATTENTION_LAB_MODEL" not in compose + (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    assert "Not in the containers here" in row
    assert re.findall(r"no folder of models, ([\d,]+) MB", README)[0].replace(",", "") + "M" in compose
    assert "transformers" in (DEPLOY.parent / "requirements-models.txt").read_text(encoding="utf-8")
