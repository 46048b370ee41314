/** Messages for people: what devices and callers write stays text in each form. */
import { expect, test } from "vitest";
import type { WebhookFormat } from "../../src/api/webhooks/webhook.ts";
import { messageText, type Told } from "../../src/webhooks/forms.ts";

const hostile = "<!channel> *b* [x](https://evil.example) </td><script>&\r\nBcc: a@b\u202e";
const told: Told = {
  event: "bulk.ended",
  isBad: true,
  values: {
    name: hostile,
    outcome: "1 device: 1 failed",
    failures: hostile,
    work: "query, netmiko",
    ticket: "",
  },
  data: { bulk: { id: "b1" } },
  page: "bulk/b1",
};
const spec = (format: WebhookFormat, difference = false) => ({
  ...{
    events: ["bulk.ended" as const],
    format,
    enabled: true,
    difference,
    receiver: "https://x.example",
    signed: false,
  },
  ...{ console_url: "https://patchbay.example/", to: "noc@example.net", from: null },
});
const message = (format: WebhookFormat, what = told) =>
  JSON.parse(messageText(what, spec(format), { event: what.event }));

test("json has the data, a sentence and a link", () => {
  expect(message("json")).toEqual({
    ...{ event: "bulk.ended", bulk: { id: "b1" }, link: "https://patchbay.example/#/bulk/b1" },
    summary: expect.stringMatching(/^Bulk <!channel> .*: 1 device: 1 failed$/),
  });
});

test("Slack gets plain text only, and no mention or link of a device's", () => {
  const { text, blocks } = message("slack");
  expect(text).toMatch(/^Problem: Bulk &lt;!channel&gt; /);
  expect(text).not.toMatch(/[<>\n\r\u202e]/);
  const texts = blocks.flatMap(
    ({ text: one, elements = [] }: { text?: object; elements?: { text: object }[] }) =>
      [one, ...elements.map((element) => element.text)].filter((part) => part !== undefined),
  );
  expect(new Set(texts.map(({ type }: { type: string }) => type))).toEqual(new Set(["plain_text"]));
  expect(texts[0].text.length).toBeLessThanOrEqual(150);
  expect(blocks.at(-1)).toMatchObject({ elements: [{ url: "https://patchbay.example/#/bulk/b1" }] });
});

test("Teams gets a card in which Markdown of a device is escaped", () => {
  const [{ contentType, content }] = message("teams").attachments;
  expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
  const [title, { facts }] = content.body;
  expect(title).toMatchObject({ type: "TextBlock", color: "Attention" });
  expect(title.text).toContain("\\<\\!channel\\> \\*b\\* \\[x\\]\\(https://evil\\.example\\)");
  expect(facts.map(({ title: label }: { title: string }) => label)).toEqual(["Work", "First failures"]);
  expect(content.actions).toEqual([
    { type: "Action.OpenUrl", title: "Open", url: "https://patchbay.example/#/bulk/b1" },
  ]);
});

test("mail has one line of subject, and HTML without a device's tags", () => {
  const { subject, text, html, to, from } = message("mail");
  expect({ to, from }).toEqual({ to: "noc@example.net", from: undefined });
  expect(subject).toMatch(/^\[patchbay\] Problem: Bulk /);
  expect(subject).not.toMatch(/[\r\n\u202e]/);
  expect(html).not.toMatch(/<script|<!channel|<\/td><script/);
  expect(html).toContain("&#60;script&#62;");
  expect(text).toContain("https://patchbay.example/#/bulk/b1");
});

test("a long text is cut, and an absent one is left out", () => {
  const long = { ...told, values: { name: "x".repeat(5_000), outcome: "" } };
  expect(message("mail", long).subject.length).toBeLessThan(700);
  expect(
    message("mail", { event: "disk.low", values: { name: "n1", sentence: "full" }, data: {} }),
  ).toMatchObject({
    subject: "[patchbay] Problem: Disk nearly full on n1",
    text: "Disk nearly full on n1\n\nState: full\n",
  });
  const glass: Told = {
    ...{ event: "break_glass.used", data: {} },
    values: { name: "break-glass-1", what: "POST /key, from 192.0.2.1" },
  };
  expect(message("mail", glass)).toMatchObject({
    subject: "[patchbay] Problem: The key for emergencies is in use: break-glass-1",
    text: "The key for emergencies is in use: break-glass-1\n\nWhat: POST /key, from 192.0.2.1\n",
  });
  for (const form of ["slack", "teams"] as const)
    expect(JSON.stringify(message(form, glass))).toContain("192");
});

const line = "+ntp server <!channel> [x](https://evil.example) </pre><script>&\u202e \u{1f4a9}\n";
const changed = (difference: string): Told => ({
  ...{ event: "history.changed", values: { what: "Configuration of sw1 changed" }, data: {}, difference },
});
const withLines = (format: WebhookFormat, difference = line) =>
  JSON.parse(messageText(changed(difference), spec(format, true), {}));

test("changed lines stay text in each form, and are left out unless they are wanted", () => {
  for (const format of ["json", "slack", "teams", "mail"] as const)
    expect(JSON.stringify(message(format, changed(line)))).not.toContain("ntp server");
  expect(withLines("json").difference).toBe(line.replace("\u202e", "<U+202E>"));
  const [, rich] = withLines("slack").blocks;
  const [{ type, elements }] = rich.elements;
  expect([rich.type, type, elements[0].type]).toEqual(["rich_text", "rich_text_preformatted", "text"]);
  expect(elements[0].text).toContain("<!channel>");
  const [, code] = withLines("teams").attachments[0].content.body;
  expect(code).toMatchObject({ type: "CodeBlock", language: "PlainText" });
  const { html, text } = withLines("mail");
  expect(text).toContain("+ntp server");
  expect(html).toContain("&#60;/pre&#62;&#60;script&#62;");
  expect(html).not.toContain("<script");
});

test("long changed lines are cut to what each receiver takes, at a line, and say so", () => {
  const long = line.repeat(1_000);
  const whole = withLines("json", long).difference;
  expect(whole.length).toBeLessThan(20_100);
  expect(whole).toMatch(/\n\[\d+ more characters\]\n$/);
  const pieces = withLines("slack", long).blocks.slice(1);
  const texts: string[] = pieces.map(
    (piece: { elements: { elements: { text: string }[] }[] }) => piece.elements[0]?.elements[0]?.text,
  );
  expect(texts.join("")).toBe(whole);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(3_000);
  expect(pieces.length).toBeLessThan(45);
  for (const difference of [long, '"'.repeat(30_000), "\u{1f4a9}".repeat(30_000), "ä".repeat(30_000)]) {
    const card = withLines("teams", difference);
    expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThan(28 * 1024);
    expect(JSON.stringify(card)).toMatch(/more characters/);
  }
});
