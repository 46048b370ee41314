#!/usr/bin/env python3
"""Writes what Ansible's own filters answer into the .json files beside this one.

Needs ansible-core, the collections ansible.utils and ansible.netcommon, and netaddr:
    /usr/bin/python3 record.py [topic ...]
Each file holds {"context": {...}, "cases": [[expression, answer], ...]}; the answer is the text of
{{ [expression] }}, so that 1 and "1" differ, or {"error": class} where the reference refuses.
"""
import importlib
import json
import pathlib
import sys
import warnings

import jinja2
from ansible.plugins.filter import core, mathstuff, urls, urlsplit
from ansible.plugins.test import core as core_tests
from ansible.plugins.test import mathstuff as math_tests
from ansible.plugins.test import uri as uri_tests

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).resolve().parent
UTILS = (
    "cidr_merge hwaddr ip4_hex ipaddr ipmath ipsubnet ipv4 ipv6 ipwrap macaddr network_in_network "
    "network_in_usable next_nth_usable nthhost previous_nth_usable reduce_on_network slaac usable_range"
)


TESTS = (
    "in_any_network in_network in_one_network ip ip_address ipv4 ipv4_address ipv4_hostmask ipv4_netmask ipv6 "
    "ipv6_address ipv6_ipv4_mapped ipv6_sixtofour loopback mac multicast private public reserved subnet_of "
    "supernet_of unspecified"
)


def environment():
    env = jinja2.Environment(extensions=["jinja2.ext.do"], keep_trailing_newline=True)
    names = ["ansible_collections.ansible.utils.plugins.filter." + one for one in UTILS.split()]
    names.append("ansible_collections.ansible.netcommon.plugins.filter.network")
    modules = [core, mathstuff, urls, urlsplit] + [importlib.import_module(one) for one in names]
    builtin = set(env.filters)
    for module in modules:
        for name, body in module.FilterModule().filters().items():
            if name not in builtin:
                env.filters[name] = body
    utils = ["ansible_collections.ansible.utils.plugins.test." + one for one in TESTS.split()]
    for module in [core_tests, math_tests, uri_tests] + [importlib.import_module(one) for one in utils]:
        for name, body in module.TestModule().tests().items():
            env.tests.setdefault(name, body)
    return env


def answer(env, expression, context):
    try:
        return env.from_string("{{ [" + expression + "] }}").render(json.loads(json.dumps(context)))
    except Exception as error:  # whatever the reference raises is its answer
        return {"error": type(error).__name__}


def main(topics):
    env = environment()
    if topics == ["-"]:
        given = json.load(sys.stdin)
        cases = [[one, answer(env, one, given["context"])] for one in given["expressions"]]
        json.dump({"context": given["context"], "cases": cases}, sys.stdout)
        return
    for path in sorted(HERE.glob("*.json")):
        if topics and path.stem not in topics:
            continue
        given = json.loads(path.read_text())
        cases = [[one[0], answer(env, one[0], given["context"])] for one in given["cases"]]
        lines = ",\n    ".join(json.dumps(one, ensure_ascii=False) for one in cases)
        context = json.dumps(given["context"], ensure_ascii=False)
        path.write_text('{\n  "context": %s,\n  "cases": [\n    %s\n  ]\n}\n' % (context, lines))


main(sys.argv[1:])
