"""Debian's paramiko: the same servers and commands, with threads. Prints wall and CPU milliseconds as JSON."""
import json
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import paramiko

user, key_file, at_once, hosts, commands = json.loads(sys.argv[1])
key = paramiko.Ed25519Key.from_private_key_file(key_file)


def run(server):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(
        server["host"],
        port=server["port"],
        username=user,
        pkey=key,
        look_for_keys=False,
        allow_agent=False,
        timeout=60,
    )
    for command in commands:
        _, out, err = client.exec_command(command)
        text = out.read()
        err.read()
        if out.channel.recv_exit_status() != 0 or not text:
            raise RuntimeError(server)
    client.close()


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


run(hosts[0])
before, start = cpu(), time.perf_counter()
with ThreadPoolExecutor(at_once) as pool:
    list(pool.map(run, hosts))
wall = time.perf_counter() - start
print(json.dumps({"wall_ms": wall * 1000, "cpu_ms": (cpu() - before) * 1000}))
