"""Fills in the results of features.json with those of the reference: python3 features.py. Needs TextFSM; releases before 2
word the errors marked `ours` differently."""
import io
import json
import pathlib

import textfsm

PATH = pathlib.Path(__file__).with_name("features.json")


def parse(case):
    try:
        machine = textfsm.TextFSM(io.StringIO(case["template"]))
        rows = machine.ParseText(case["text"], eof=case.get("eof", True))
        return {"header": machine.header, "rows": rows}
    except Exception as error:
        return {"error": str(error)}


features = json.loads(PATH.read_text())
for section in features.values():
    for cases in section.values():
        for case in cases:
            if "ours" in case:
                continue
            for key in ("header", "rows", "error"):
                case.pop(key, None)
            case.update(parse(case))
PATH.write_text(json.dumps(features, indent=1, ensure_ascii=False) + "\n")
