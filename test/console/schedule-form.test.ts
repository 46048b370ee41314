/** The schedule form as a request body. */
import { describe, expect, test } from "vitest";
import { scheduleOf, simpleWork, workWith } from "../../src/console/pages/schedules/schedule-form.ts";

const formData = (values: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
};
const form = {
  ...{ name: "versions", time: "cron", when: "30 2 * * *", time_zone: "Europe/Berlin", kind: "query" },
  ...{ select: "site:berlin", lines: "show version\n\n", overlap: "skip" },
};

describe("the schedule form", () => {
  test("submits a query by cron", () => {
    expect(scheduleOf(formData(form))).toEqual({
      ...{ name: "versions", cron: "30 2 * * *", time_zone: "Europe/Berlin", overlap: "skip" },
      what: { kind: "query", request: { select: "site:berlin", command: ["show version"] } },
    });
  });

  test("submits a push to devices with a credential and windows", () => {
    const push = {
      ...{ ...form, time: "every", when: "6h", kind: "push", select: "", hosts: "sw1\nsw2" },
      ...{ lines: "interface Gi1\n no shutdown", credential: "lab", ticket: "CHG-1" },
      window: "Mon-Fri 22:00-05:00 Europe/Berlin\n\nSat 00:00-24:00",
    };
    expect(scheduleOf(formData(push))).toEqual({
      ...{ name: "versions", every: "6h", overlap: "skip", ticket: "CHG-1" },
      window: ["Mon-Fri 22:00-05:00 Europe/Berlin", "Sat 00:00-24:00"],
      what: {
        kind: "push",
        request: {
          devices: [{ device: "sw1" }, { device: "sw2" }],
          connection_args: { credential: { name: "file", ref: "lab" } },
          config: ["interface Gi1", " no shutdown"],
        },
      },
    });
  });

  test("submits a time with its offset, and rejects an invalid one", () => {
    const at = "2027-01-31T22:00:00Z";
    expect(scheduleOf(formData({ ...form, time: "at", when: at }))).toMatchObject({
      at: "2027-01-31T22:00:00.000Z",
    });
    expect(() => scheduleOf(formData({ ...form, time: "at", when: "soon" }))).toThrow("soon is not a time");
    expect(() => scheduleOf(formData({ ...form, select: "" }))).toThrow("Enter a device or a selector.");
  });
});

describe("the work of a schedule", () => {
  const request = { command: "show version", select: "site:berlin", options: { ticket: "CHG-1" } };
  const query = { kind: "query", request } as const;
  const fields = { select: "site:berlin", hosts: "", lines: "show version" };

  test("is edited by fields, which leave alone what they do not say", () => {
    expect(simpleWork(query)).toEqual(fields);
    expect(JSON.stringify(workWith(query, fields, formData(fields)))).toBe(JSON.stringify(query));
    const devices = { ...fields, select: "", hosts: "sw1 sw2", lines: "show clock" };
    expect(workWith(query, fields, formData(devices))).toEqual({
      kind: "query",
      request: {
        command: ["show clock"],
        devices: [{ device: "sw1" }, { device: "sw2" }],
        options: request.options,
      },
    });
    expect(() => workWith(query, fields, formData({ ...fields, select: "" }))).toThrow("Enter a device");
  });

  test.each([
    ["a template", { kind: "push", request: { ...request, rendering: { name: "jinja2" } } }],
    ["devices with more than a name", { kind: "query", request: { devices: [{ host: "192.0.2.1" }] } }],
    ["another kind", { kind: "sync", source: "fleet" }],
  ] as const)("is JSON for %s", (_, what) => {
    expect(simpleWork(what)).toBeUndefined();
  });
});
