/** Device bodies in the API description: a union of the loaded drivers, including third-party ones. */
import { type } from "arktype";
import { defineDriver, defineWebhook } from "patchbay/plugin";
import * as v from "valibot";
import { expect, test } from "vitest";
import * as z from "zod";
import { builtins } from "../../../plugins/index.ts";
import { fieldsOf } from "../../../src/registry/fields.ts";
import { describedWith, type Schema } from "./fixtures.ts";

const load = async () => ({ default: async () => ({}) });
const common = { strategy: "fifo", target: () => ({ host: "h", port: 1 }), load } as const;
const drivers = builtins.filter((plugin) => plugin.kind === "driver");
const capitalized = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());
const namesOf = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {});

test("describes each built-in driver by name", async () => {
  const { schemas } = (await describedWith()).components;
  expect(schemas.ExecuteByDriver?.discriminator?.mapping).toEqual(
    Object.fromEntries(drivers.map(({ name }) => [name, `#/components/schemas/${capitalized(name)}Execute`])),
  );
  expect(schemas.BulkByDriver?.oneOf).toHaveLength(drivers.length);
  expect(schemas.TestByDriver?.oneOf).toHaveLength(drivers.length);
});

test("with every field of its schemas", async () => {
  const { schemas } = (await describedWith()).components;
  for (const driver of drivers) {
    const name = capitalized(driver.name);
    const { query, configure } = driver.args;
    expect(namesOf(schemas[`${name}Connection`])).toEqual(
      expect.arrayContaining([...(fieldsOf(driver.connection) ?? ["no fields"])]),
    );
    expect(namesOf(schemas[`${name}QueryArgs`])).toEqual(fieldsOf(query));
    expect(namesOf(schemas[`${name}ConfigureArgs`])).toEqual(configure && fieldsOf(configure));
  }
});

test("with a description of each field", async () => {
  const { schemas } = (await describedWith()).components;
  const described = drivers.flatMap(({ name }) =>
    ["Connection", "QueryArgs", "ConfigureArgs"].map((part) => `${capitalized(name)}${part}`),
  );
  const silent = Object.entries(schemas)
    .filter(([name]) => described.includes(name))
    .flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { description }]) =>
        description ? [] : [`${name}.${field}`],
      ),
    );
  expect(silent).toEqual([]);
  // A link on the driver's page would be broken here.
  expect(JSON.stringify(schemas.NetmikoConnection)).not.toContain("](");
});

test("describes external drivers, whatever schema library they use", async () => {
  const plugins = [
    defineDriver({
      ...common,
      name: "zod-one",
      connection: z.object({ host: z.string(), rack: z.number() }),
    }),
    defineDriver({ ...common, name: "ark-one", connection: type({ host: "string", rack: "number" }) }),
    defineDriver({
      ...common,
      name: "mute-one",
      connection: { "~standard": { version: 1, vendor: "mine", validate: (value: unknown) => ({ value }) } },
    }),
    defineDriver({
      ...common,
      name: "val-one",
      connection: v.object({ host: v.string(), rack: v.number() }),
    }),
  ];
  const { schemas } = (await describedWith({}, plugins)).components;
  expect(Object.keys(schemas.ExecuteByDriver?.discriminator?.mapping ?? {})).toEqual(
    expect.arrayContaining(["zod-one", "ark-one", "mute-one", "val-one"]),
  );
  for (const name of ["ZodOne", "ArkOne", "ValOne"]) {
    expect(namesOf(schemas[`${name}Connection`])).toEqual(["host", "hostname", "rack", "credential"]);
    // The address field may be given under either name.
    expect(schemas[`${name}Connection`]?.required).toEqual(["rack"]);
  }
  expect(namesOf(schemas.MuteOneConnection)).toEqual(["host", "hostname", "credential"]);
});

test("survives recursive and malformed external schemas", async () => {
  interface Rack {
    host: string;
    inner?: Rack | undefined;
  }
  const rack: z.ZodType<Rack> = z.object({ host: z.string(), inner: z.lazy(() => rack).optional() });
  const nonsense = {
    "~standard": {
      version: 1,
      vendor: "mine",
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => {
          throw new Error("no");
        },
      },
    },
  } as const;
  const plugins = [
    defineDriver({ ...common, name: "deep", connection: z.object({ host: z.string(), rack }) }),
    defineDriver({ ...common, name: "odd", connection: nonsense }),
  ];
  const document = await describedWith({}, plugins);
  const { schemas } = document.components;
  expect(namesOf(schemas.DeepConnection)).toEqual(["host", "hostname", "rack", "credential"]);
  expect(namesOf(schemas.OddConnection)).toEqual(["host", "hostname", "credential"]);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
  expect(references.filter((to) => !to?.startsWith("#/components/"))).toEqual([]);
});

test("distinguishes drivers whose names differ only in punctuation", async () => {
  const connection = v.object({ host: v.string() });
  const plugins = ["acme-demo", "acme_demo"].map((name) => defineDriver({ ...common, name, connection }));
  const { schemas } = (await describedWith({}, plugins)).components;
  const { mapping = {} } = schemas.ExecuteByDriver?.discriminator ?? {};
  expect(mapping["acme-demo"]).not.toBe(mapping.acme_demo);
});

test("describes all webhook fields, also of external webhooks", async () => {
  const chat = defineWebhook({
    name: "chat",
    options: v.object({ name: v.literal("chat"), room: v.string() }),
    deliver: async () => ({ ok: true, status: 200 }),
  });
  const { schemas } = (await describedWith({}, [chat])).components;
  expect(namesOf(schemas.BasicWebhook)).toHaveLength(12);
  expect(namesOf(schemas.ChatWebhook)).toEqual(["name", "room"]);
  expect(schemas.Webhook?.anyOf).toHaveLength(2);
});
