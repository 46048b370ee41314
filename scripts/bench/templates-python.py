"""The same work with Python's libraries, from Debian's packages: CPU time of the process, as JSON."""
import io
import json
import sys
import time

engine, path = sys.argv[1], sys.argv[2]
work = json.load(open(path))
templates, runs, repeat = work["templates"], work["runs"], work["repeat"]


def textfsm_engine():
    import textfsm

    def compile_(template):
        return textfsm.TextFSM(io.StringIO(template["source"]))

    def run(machine, text):
        machine.Reset()
        return json.dumps([dict(zip(machine.header, row)) for row in machine.ParseText(text)])

    return "textfsm of Debian", compile_, run


def jinja2_engine():
    import jinja2

    def compile_(template):
        args = dict(template["args"])
        loader = jinja2.DictLoader(args.pop("templates", None) or {})
        given, name = args.pop("globals", None), args.pop("name", None)
        args["extensions"] = ["jinja2.ext." + one for one in args.get("extensions", [])]
        if "undefined" in args:
            args["undefined"] = getattr(jinja2, args["undefined"])
        env = jinja2.Environment(loader=loader, **args)
        if given:
            env.globals.update(given)
        return env.get_template(name) if name else env.from_string(template["source"])

    def run(template, context):
        return template.render(json.loads(context))

    return "jinja2 " + jinja2.__version__, compile_, run


def ttp_engine():
    import ttp

    def compile_(template):
        return template["source"]

    def run(source, text):
        parser = ttp.ttp(data=text, template=source, log_level="ERROR")
        parser.parse(one=True)
        return json.dumps(parser.result())

    return "ttp", compile_, run


def first_use(make, run):
    started = time.process_time()
    compiled = [make(one) for one in templates]
    made = time.process_time()
    slowest = (0, -1)
    for number, (at, text) in enumerate(runs):
        began = time.process_time()
        run(compiled[at], text)
        slowest = max(slowest, (time.process_time() - began, number))
    ran = time.process_time()
    return {"compile": (made - started) * 1000, "run": (ran - made) * 1000}, slowest, compiled


def kept(run, compiled):
    started = time.process_time()
    for _ in range(repeat):
        for at, text in runs:
            run(compiled[at], text)
    return (time.process_time() - started) * 1000 / repeat


version, make, run = {
    "textfsm": textfsm_engine,
    "jinja2": jinja2_engine,
    "ttp": ttp_engine,
}[engine]()
cold, slowest, compiled = first_use(make, run)
if sys.argv[3:] == ["cold"]:
    print(json.dumps({"library": version, "cold": cold, "slowestRun": slowest[1]}))
    sys.exit()
warm = [first_use(make, run)[0] for _ in range(2)]
print(json.dumps({
    "library": version,
    "cold": cold,
    "first": {key: min(one[key] for one in warm) for key in ("compile", "run")},
    "kept": sorted(kept(run, compiled) for _ in range(3))[1],
    "slowestRun": slowest[1],
}))
