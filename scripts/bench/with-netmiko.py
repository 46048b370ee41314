"""The rows of bench:cli for Netmiko, from Debian's python3-netmiko."""
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from netmiko import ConnectHandler

port, shows, devices = (int(one) for one in sys.argv[1:4])


def target(host="127.0.0.1"):
    return dict(device_type="cisco_ios", host=host, port=port, username="admin", password="admin")


def once(host="127.0.0.1"):
    started = time.perf_counter()
    session = ConnectHandler(**target(host))
    session.send_command("show clock")
    session.disconnect()
    return (time.perf_counter() - started) * 1000


connects = [once() for _ in range(3)]
session = ConnectHandler(**target())
started = time.perf_counter()
for _ in range(shows):
    session.send_command("show clock")
each = (time.perf_counter() - started) * 1000 / shows
session.disconnect()
started = time.perf_counter()
with ThreadPoolExecutor(devices) as pool:
    list(pool.map(once, [f"127.0.5.{n + 1}" for n in range(devices)]))
everything = (time.perf_counter() - started) * 1000
print(json.dumps({"connect_show_close": round(statistics.median(connects), 2), "show": round(each, 2), "devices": round(everything, 2)}))
