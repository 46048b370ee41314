/** Modules imported by a set's templates, and Python source modules for macros. */

import { expect, test } from "vitest";
import { callValue, Meter, repr } from "../../python/index.ts";
import type { ModuleSource } from "../macro/contract.ts";
import { createInterpreter } from "../macro/interpreter.ts";
import { setModule } from "../set-modules/index.ts";
import "./loaded.ts";

/** The result of the source's `f()`. */
function call(source: string, module: (name: string) => ModuleSource | undefined): string {
  const interpreter = createInterpreter({ log: () => undefined, now: () => new Date(0), module });
  const meter = new Meter();
  const names = interpreter.compile(source).run(new Map(), meter);
  return repr(callValue(names.get("f") ?? null, [], undefined, meter), meter);
}

test.each([
  ["cisco_xr_process_show_inventory", "transform_inventory"],
  ["cisco_ios_process_show_running_config_pipe_section_interface", "transform_interfaces_config"],
  [
    "a10_process_show_running_config_partition_config_all_pipe_section_interface",
    "transform_interfaces_config",
  ],
  ["linux_process_ip_address_show", "transform_interfaces"],
  // The package's spelling; a release with the correct spelling works too.
  ["junper_junos_process_show_bgp_neighbor_pipe_display_json", "transform_bgp_neighbors"],
  ["juniper_junos_process_show_bgp_neighbor_pipe_display_json", "transform_bgp_neighbors"],
  ["arista_eos_process_show_lldp_neighbors_detail_pipe_json", "transform_lldp_neighbors"],
  ["yang_openconfig_lldp_cisco_nxos", "process"],
])("the template set's module %s has %s", (module, name) => {
  const source = `from ttp_templates.utils.${module} import ${name}\ndef f():\n    return ${name}([])\n`;
  expect(call(source, setModule)).toBe("[]");
});

test("a missing module of the template set is reported with the available ones", () => {
  const source = "def f():\n    import ttp_templates.utils.cisco_ios_process_show_weather\n";
  expect(() => call(source, setModule)).toThrow(
    /No module named .*weather.*macros can import copy|collections/,
  );
});

test("records are validated against their model", () => {
  const source = (values: string) =>
    `from ttp_templates.utils.models import ArpRecord\ndef f():\n    return ArpRecord(${values}).model_dump()\n`;
  expect(call(source("ip='10.0.0.1', age=3, mac='aa', vlan=1"), setModule)).toBe(
    "{'ip': '10.0.0.1', 'age': 3, 'mac': 'aa'}",
  );
  expect(() => call(source("ip='10.0.0.1', mac='aa'"), setModule)).toThrow("the field 'age' is missing");
  expect(() => call(source("ip=1, age=3, mac='aa'"), setModule)).toThrow("'ip' must not be int");
});

test("a Python source module exposes its names, and its errors are reported at the calling line", () => {
  const text = "def x_one():\n    return 1\n\n\n\ndef x_bad():\n    return [][0]\n";
  const module = (name: string) => (name === "m" ? { text, prefix: "x_" } : undefined);
  expect(call("import m\ndef f():\n    return m.one()\n", module)).toBe("1");
  expect(() => call("import m\ndef f():\n    return m.x_one()\n", module)).toThrow(/no attribute 'x_one'/);
  try {
    call("import m\ndef f():\n    return m.bad()\n", module);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ pythonType: "IndexError", at: { line: 3, template: "macro" } });
  }
});
