/** Variables keep types, digits, order and null from every way in to every way out. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { orderedRecord, parseExact, stringifyExact } from "../../src/base/json/exact-json.ts";
import { membersOf } from "../../src/jobs/request/template-members.ts";
import { exchangeOf } from "./exchange-support.ts";
import { admin, openAt, openInventory } from "./support.ts";

const scalar = fc.oneof(
  fc.constantFrom("9.0", "1e3", "-0.0", "12345678901234567890", "0", "1.5", "null", "true", "1e21", "1.5e-7"),
  fc.bigInt().map(String),
  fc
    .oneof(
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(
        "08",
        "1e3",
        "1:30",
        "yes",
        "2023-11-05",
        "0o10",
        "1_000",
        "=",
        "<<",
        "~",
        "",
        "a: b",
        " x",
        "\x85",
        "\u2028x\n y\n",
      ),
    )
    .map((text) => JSON.stringify(text)),
);
const name = fc.oneof(
  fc.constantFrom("20", "10", "3", "yes", "a b", "1.5", "null", "2023-11-05", "x"),
  fc.nat({ max: 99 }).map(String),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(name, tie("value")), { maxLength: 4, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`),
  ),
}));
const names = ["vlan", "b", "a.b", "x_1"];
/** JSON texts of the variables of a device. */
const variables = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
    minLength: 1,
    maxLength: 4,
    selector: ([key]) => key,
  })
  .map((members) => `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`);

/** Each variable on its own: the order of variables is not part of them. Floats in one spelling. */
function shown(vars: unknown): string[] {
  const members = Object.entries(vars as object);
  const json = members.map(([key, member]) => `${key} ${stringifyExact(member)}`).sort();
  return json.map((text) =>
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi, (token) =>
      token.startsWith('"') || !/[.e]/i.test(token) ? token : `float ${Number(token)}`,
    ),
  );
}

const texts = fc.sample(variables, { numRuns: 150, seed: 23 });
const document = () => ({
  groups: [{ name: "core", vars: parseExact('{"top":9.0,"vlans":{"20":1,"10":null}}') }],
  devices: texts.map((json, at) => ({ name: `r${at}`, group: "core", vars: parseExact(json) })),
});

test("the store, records, inheritance and templates keep them", async () => {
  const { apply, place, close } = await openInventory();
  await apply(document());
  await close();
  // Read from the database.
  const { inventory } = await openAt(place);
  const snapshot = await inventory.snapshot();
  for (const [at, json] of texts.entries()) {
    const device = snapshot.device(`r${at}`);
    if (device === undefined) throw new Error("it is not there");
    const wanted = shown(parseExact(`${json.slice(0, -1)},"top":9.0,"vlans":{"20":1,"10":null}}`));
    expect(shown(device.vars)).toEqual(wanted);
    expect(shown(parseExact(membersOf(snapshot, device).vars ?? ""))).toEqual(wanted);
    const record = await inventory.read("device", `r${at}`, admin, true);
    expect(shown(parseExact(stringifyExact(record)) && record.vars)).toEqual(wanted);
  }
});

test.each(["csv", "json", "yaml", "ansible", "nornir"] as const)(
  "an export as %s imports to the same",
  async (format) => {
    const { apply, inventory } = await openInventory();
    await apply(document());
    const text = await exchangeOf(inventory).give(format);
    const { inventory: other } = await openInventory();
    const { warnings } = await exchangeOf(other).take(format, text);
    expect(warnings).toEqual([]);
    const [before, after] = [await inventory.snapshot(), await other.snapshot()];
    for (const at of texts.keys())
      expect(shown(after.ownDevice(`r${at}`)?.own.vars)).toEqual(shown(before.ownDevice(`r${at}`)?.own.vars));
    expect(shown(after.ownGroup("core")?.own.vars)).toEqual(shown(before.ownGroup("core")?.own.vars));
    // Back where it came from it changes nothing.
    const { answer } = await exchangeOf(inventory).take(format, text);
    expect(
      answer.diff.filter(({ fields }) => Object.keys(fields).some((field) => field.startsWith("vars"))),
    ).toEqual([]);
  },
);

test("a change of type or order alone is a change, and a patch keeps the rest", async () => {
  const { apply, inventory } = await openInventory();
  const vars = (json: string) => ({ devices: [{ name: "r1", vars: parseExact(json) }] });
  await apply(vars('{"v":9,"l":{"20":1,"10":2},"o":{"b":1,"a":2}}'));
  expect(await apply(vars('{"v":9.0}'))).toMatchObject({ changed: 1, diff: [{ fields: { "vars.v": {} } }] });
  expect(await apply(vars('{"v":9.0}'))).toMatchObject({ unchanged: 1 });
  const reordered = await apply(vars('{"o":{"a":2,"b":1}}'));
  expect(reordered).toMatchObject({ changed: 1, diff: [{ fields: { "vars.o": {} } }] });
  await inventory.patch("device", "r1", { vars: orderedRecord([["new", 1]]) }, admin, undefined);
  await apply(vars('{"l":{"20":1,"10":2}}'));
  const patch = parseExact('{"vars":{"l":{"5":3.0,"20":null}}}');
  await inventory.patch("device", "r1", patch, admin, undefined);
  const own = (await inventory.snapshot()).ownDevice("r1")?.own.vars ?? {};
  expect(stringifyExact(own.l)).toBe('{"10":2,"5":3.0}');
});

test("outside of variables numbers are as before, and secrets are found within", async () => {
  const { apply, inventory } = await openInventory();
  await apply({ devices: [parseExact('{"name":"r1","port":22.0,"connection":{"timeout":60.0}}')] });
  const device = (await inventory.snapshot()).device("r1");
  expect(device).toMatchObject({ port: 22, connection: { timeout: 60 } });
  const secret = parseExact('{"name":"r2","vars":{"x":{"20":{"password":12345678901234567890},"10":1}}}');
  await expect(apply({ devices: [secret] })).rejects.toMatchObject({
    detail: { issues: [{ path: "devices.0.vars.x.20.password" }] },
  });
});
