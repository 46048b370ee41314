"""The rows of bench:cli for Netmiko (Debian's python3-netmiko). Arguments: port, shows, lines, devices, at once."""
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import netmiko
from netmiko import ConnectHandler

port, shows, lines, devices, at_once = (int(one) for one in sys.argv[1:6])


def target(host="127.0.0.1"):
    return dict(device_type="cisco_ios", host=host, port=port, username="admin", password="admin")


def timed(work):
    started = time.perf_counter()
    work()
    return round((time.perf_counter() - started) * 1000, 2)


def once(host="127.0.0.1", commands=("show clock",)):
    session = ConnectHandler(**target(host))
    for command in commands:
        session.send_command(command)
    session.disconnect()


connects = [timed(once) for _ in range(3)]
session = ConnectHandler(**target())
show = timed(lambda: [session.send_command("show clock") for _ in range(shows)]) / shows
routes = [f"ip route 10.{n >> 8}.{n & 255}.0 255.255.255.0 Null0" for n in range(lines)]
output = timed(lambda: session.send_command("show startup-config"))
try:
    session.enable()
    push = timed(lambda: session.send_config_set(routes))
except Exception as error:  # Debian's release is an old one: the row names what it raised, the others stand.
    push = type(error).__name__
session.disconnect()


def fleet():
    with ThreadPoolExecutor(at_once) as pool:
        hosts = [f"127.0.{7 + (n >> 7)}.{(n & 127) + 1}" for n in range(devices)]
        list(pool.map(lambda host: once(host, ("show clock", "show version")), hosts))


before = time.process_time()
all_devices = timed(fleet)
cpu = round((time.process_time() - before) * 1000, 2)
print(json.dumps({"version": netmiko.__version__, "connect_show_close": statistics.median(connects), "show": round(show, 2), "push": push,
                  "output": output, "devices": all_devices, "devices_cpu": cpu}))
