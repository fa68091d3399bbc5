"""Prints those of some manifests whose schema Kubernetes itself has.

usage: own.py MANIFESTS
"""

import pathlib
import sys

import yaml

OPERATOR = "monitoring.coreos.com/"

documents = yaml.safe_load_all(pathlib.Path(sys.argv[1]).read_text())
yaml.safe_dump_all([one for one in documents if not one["apiVersion"].startswith(OPERATOR)], sys.stdout)
