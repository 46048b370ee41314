/** The list of tools: its order is fixed, so that a client may keep it, and what each says of itself is true. */
import { expect, test } from "vitest";
import { toolsOf } from "../../src/mcp/tools.ts";

const reading = [
  ...["find_devices", "show", "run_read_command", "job"],
  ...["config", "config_diff", "config_search", "drift"],
  ...["render", "parse", "rehearse", "recipes"],
];

test("the tools of each mode, in their order", () => {
  const names = (mode: Parameters<typeof toolsOf>[0]) => toolsOf(mode).map(({ name }) => name);
  expect([names("off"), names("read"), names("propose")]).toEqual([
    [],
    reading,
    [...reading, "propose_change", "propose_run"],
  ]);
});

test.each(toolsOf("propose").map((tool) => [tool.name, tool] as const))(
  "%s says that it destroys nothing, and only a proposal that it writes",
  (name, { annotations }) => {
    expect(annotations.destructiveHint).toBe(false);
    expect(annotations.readOnlyHint).toBe(!name.startsWith("propose_"));
  },
);
