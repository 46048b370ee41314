"""python3-paramiko as its documentation shows it: one login, files one after the other. Prints JSON."""

import json
import os
import resource
import sys
import time

import paramiko

host, port, user, key, work, remote = sys.argv[1:]


def timed(move):
    """Wall and CPU seconds with the login."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(host, int(port), user, key_filename=key, look_for_keys=False, allow_agent=False)
    sftp = client.open_sftp()
    move(sftp)
    sftp.close()
    client.close()
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "cpu_seconds": cpu}


def put_tree(sftp):
    top = os.path.join(work, "small")
    for folder, _, names in os.walk(top):
        there = remote + "/paramiko-small" + folder[len(top) :]
        sftp.mkdir(there)
        for name in names:
            sftp.put(os.path.join(folder, name), there + "/" + name)


def get_tree(sftp):
    top = os.path.join(work, "paramiko-small")
    for folder in [""] + ["/" + name for name in sftp.listdir(remote + "/paramiko-small")]:
        os.mkdir(top + folder)
        for entry in sftp.listdir_attr(remote + "/paramiko-small" + folder):
            if entry.longname[0] == "-":
                sftp.get(remote + "/paramiko-small" + folder + "/" + entry.filename, top + folder + "/" + entry.filename)


print(
    json.dumps(
        {
            "version": paramiko.__version__,
            "large_up": timed(lambda sftp: sftp.put(work + "/large", remote + "/paramiko-large")),
            "large_down": timed(lambda sftp: sftp.get(remote + "/paramiko-large", work + "/paramiko-large")),
            "small_up": timed(put_tree),
            "small_down": timed(get_tree),
        }
    )
)
