"""The set of templates with Python's Jinja2 of Debian: CPU seconds of all renderings of a round, as JSON."""
import json
import sys
import time

import jinja2

root, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
work = json.load(open(path))
environment = jinja2.Environment(loader=jinja2.FileSystemLoader(root), **work["args"])
seconds, texts = [], []
began = time.process_time()
template = environment.from_string(work["source"])
for _ in range(rounds):
    texts = [template.render(json.loads(context)) for context in work["contexts"]]
    now = time.process_time()
    seconds.append(now - began)
    began = now
print(json.dumps({"version": jinja2.__version__, "seconds": seconds, "texts": texts}))
