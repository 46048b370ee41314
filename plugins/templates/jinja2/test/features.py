"""Fills in the results of features.json with those of the reference: python3 features.py. Needs Jinja2 3.1."""
import json
import pathlib
import re

import jinja2

PATH = pathlib.Path(__file__).with_name("features.json")
OPTIONS = ["block_start_string", "block_end_string", "variable_start_string", "variable_end_string",
           "comment_start_string", "comment_end_string", "line_statement_prefix", "line_comment_prefix",
           "trim_blocks", "lstrip_blocks", "newline_sequence", "keep_trailing_newline", "autoescape"]


def render(case):
    args = case.get("args", {})
    name = args.get("name", "main")
    extensions = args.get("extensions", ["do", "loopcontrols"])
    environment = jinja2.Environment(
        loader=jinja2.DictLoader({**args.get("templates", {}), name: case["source"]}),
        undefined=getattr(jinja2, args.get("undefined", "Undefined")),
        extensions=[re.sub(r"^(?!jinja2)", "jinja2.ext.", name) for name in extensions],
        **{name: args[name] for name in OPTIONS if name in args},
    )
    environment.globals.update(args.get("globals", {}))
    try:
        return {"result": environment.get_template(name).render(case.get("context", {}))}
    except Exception as error:
        return {"error": type(error).__name__}


features = json.loads(PATH.read_text())
for section in features.values():
    for cases in section.values():
        for case in cases:
            if "ours" in case:
                continue
            for key in ("result", "error"):
                case.pop(key, None)
            case.update(render(case))
PATH.write_text(json.dumps(features, indent=1, ensure_ascii=False) + "\n")
