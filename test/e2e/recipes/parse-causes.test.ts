/** A query that cannot be parsed says why: the device refused it, or there is no template, or it does not fit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

let service: Service;
let device: SimulatedDevice;
beforeAll(async () => {
  [device, service] = await Promise.all([simulated("cisco_ios", { hostname: "SW1" }), startService()]);
});
afterAll(() => Promise.all([service.stop(), device.stop()]));

const strict = 'Value A (\\d+)\n\nStart\n  ^nothing -> Error "never"\n  ^. -> Error "no such line"\n';
const parsed = (command: string | string[], parsing: object) =>
  service.run({ driver: "netmiko", connection_args: device.connection, command, parsing });

const causes = [
  [
    "a refused command without a template",
    "show nonsense",
    { name: "textfsm" },
    "CommandError",
    /^The device refused the command "show nonsense": % Invalid input.* \(so its output could not be parsed: textfsm: no template/,
  ],
  [
    "a refused command and a template",
    "show nonsense",
    { name: "textfsm", template: strict },
    "CommandError",
    /^The device refused the command "show nonsense": % Invalid input.* \(so its output could not be parsed: .*no such line/,
  ],
  [
    "a refused command and a template that is not valid",
    "show nonsense",
    { name: "textfsm", template: "Value A (\\d+)\n\nStart\n  ^$missing{ -> Record\n" },
    "ParseError",
    /variable substitution/,
  ],
  [
    "a command without a template",
    "show privilege",
    { name: "textfsm" },
    "ParseError",
    /^textfsm: no template for platform "cisco_ios" and command "show privilege".*`patchbay templates install`/,
  ],
  [
    "a set that is not there",
    "show version",
    {
      name: "ttp",
      use_ttp_template: true,
      ttp_template_args: { platform: "cisco_ios", command: "show version" },
    },
    "ParseError",
    /^ttp: there is no built-in template .*run `patchbay templates install`/,
  ],
  [
    "a template that does not fit",
    "show clock",
    { name: "textfsm", template: strict },
    "ParseError",
    /no such line/,
  ],
] as const;

describe("the true cause comes first", () => {
  test.each(causes)("of %s", async (_what, command, parsing, type, message) => {
    const job = await parsed(command, parsing);
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type, message: expect.stringMatching(message), command } },
    });
    expect(job.result?.error).not.toHaveProperty("outcome");
    expect(Object.keys(job.result?.retval ?? {})).toEqual([command]);
  });

  test("of one command among several, which is named", async () => {
    const { result } = await parsed(["show version", "show nonsense"], { name: "textfsm" });
    expect(result?.error).toMatchObject({ type: "CommandError", command: "show nonsense" });
  });

  test("in the client", async () => {
    const someone = await loggedIn(service.url, adminKey);
    const refused = await parsed("show nonsense", { name: "textfsm" });
    expect((await someone.piped(["job", refused.id])).out).toContain(
      'CommandError: The device refused the command "show nonsense"',
    );
    const without = await parsed("show privilege", { name: "textfsm" });
    const { out } = await someone.piped(["job", without.id]);
    expect(out).toContain("ParseError: textfsm: no template");
    expect(out).toContain("install the set (`patchbay templates install`)");
  });
});

describe.skipIf(needs("chromium"))("in the console", () => {
  let browser: Pages;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test("the refusal is the heading, and a missing template says what to run", async () => {
    const [refused, without] = [
      await parsed("show nonsense", { name: "textfsm" }),
      await parsed("show privilege", { name: "textfsm" }),
    ];
    const { page, complaints } = await visit(browser, service.url);
    await logIn({ page }, adminKey);
    await page.goto(`${service.url}/#/job/${refused.id}`);
    await page.getByRole("heading", { name: "CommandError" }).waitFor();
    await page.getByText(/^The device refused the command "show nonsense"/).waitFor();
    await page.goto(`${service.url}/#/job/${without.id}`);
    await page.getByRole("heading", { name: "ParseError" }).waitFor();
    await page.getByText(/no template for platform .*patchbay templates install/).waitFor();
    expect(complaints).toEqual([]);
  });
});
