/** The API description of one recipe. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const steps = [{ name: "say", kind: "render", request: { template: "{{ vlan }}" } }];
const put = async (name: string, recipe: object) => {
  const answer = await service.call("PUT", `/recipe/${name}`, recipe);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
};
interface Document {
  readonly info: object;
  readonly paths: Record<
    string,
    {
      readonly post: {
        readonly parameters: { readonly in: string }[];
        readonly requestBody: { readonly content: Record<string, { readonly schema: Schema }> };
      };
    }
  >;
  readonly components: Record<string, object>;
}
interface Schema {
  readonly required: string[];
  readonly properties: Record<string, object>;
}

const operationOf = ({ paths }: Document) => Object.values(paths)[0]?.post;
const bodyOf = (document: Document) => operationOf(document)?.requestBody.content["application/json"]?.schema;

const describedBy = async (name: string) => {
  const answer = await fetch(`${service.url}/recipe/${name}/openapi.json`, {
    headers: { "X-API-KEY": service.key },
  });
  return { status: answer.status, document: (await answer.json()) as Document };
};

test("one operation with the parameters of the recipe, and no component that is not named", async () => {
  await put("add-vlan", {
    ...{ title: "Add a VLAN", description: "On access switches.", ticket: "^CHG-\\d+$" },
    parameters: {
      type: "object",
      required: ["vlan"],
      properties: {
        vlan: { type: "integer", minimum: 2, maximum: 4094, title: "VLAN" },
        ports: { type: "array", items: { type: "string", pattern: "^Gi" }, maxItems: 5 },
        where: { type: "string", format: "device" },
        new_password: { type: "string", format: "secret" },
      },
    },
    steps,
  });
  const { status, document } = await describedBy("add-vlan");
  expect(status).toBe(200);
  expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Add a VLAN", version: "1" } });
  expect(Object.keys(document.paths)).toEqual(["/recipe/add-vlan/run"]);
  const post = operationOf(document);
  expect(post).toMatchObject({
    ...{ operationId: "run_add_vlan", summary: "Add a VLAN", description: "On access switches." },
  });
  expect(post?.parameters.map(({ in: place }) => place)).not.toContain("path");
  const schema = bodyOf(document);
  expect(schema).toMatchObject({ required: ["parameters", "ticket"], additionalProperties: false });
  expect(schema?.properties.parameters).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["vlan"],
    properties: {
      vlan: { type: "integer", minimum: 2, maximum: 4094, title: "VLAN" },
      ports: { type: "array", items: { type: "string", pattern: "^Gi" }, maxItems: 5 },
      where: { type: "string", "x-format": "device" },
      new_password: { type: "string", format: "password", writeOnly: true },
    },
  });
  expect(schema?.properties).toHaveProperty("devices");
  const named = new Set(
    [...JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([^"]+)"/g)].map(
      ([, kind, name]) => `${kind}/${name}`,
    ),
  );
  const there = ["schemas", "responses"].flatMap((kind) =>
    Object.keys(document.components[kind] ?? {}).map((name) => `${kind}/${name}`),
  );
  expect(there.sort()).toEqual([...named].sort());
});

test("a recipe with devices of its own takes none, and one that is not there has no description", async () => {
  await put("fixed", { devices: { select: "all" }, steps: [{ ...steps[0], request: { template: "x" } }] });
  const { document } = await describedBy("fixed");
  const schema = bodyOf(document);
  expect(schema?.properties).not.toHaveProperty("devices");
  expect(schema?.properties).not.toHaveProperty("select");
  expect(schema?.required).toEqual([]);
  expect((await describedBy("none")).status).toBe(404);
});

test("in the whole document each recipe that the caller may run is an operation, and others are not", async () => {
  await put("add_vlan", { steps: [{ ...steps[0], request: { template: "x" } }] });
  const made = await service.call<{ key: string }>("POST", "/key", {
    ...{ name: "helpdesk", scope: "read", recipes: ["fixed"], hosts: [], credentials: ["*"] },
  });
  const whole = async (query: string, key = service.key) => {
    const answer = await fetch(`${service.url}/openapi.json${query}`, { headers: { "X-API-KEY": key } });
    return (await answer.json()) as {
      readonly paths: Record<string, Record<string, { operationId: string; parameters: { in: string }[] }>>;
    };
  };
  const own = ({ paths }: Awaited<ReturnType<typeof whole>>) =>
    Object.keys(paths).filter((path) => /^\/recipe\/[^{]+\/run$/.test(path));
  const all = await whole("");
  expect(own(all).sort()).toEqual(["/recipe/add-vlan/run", "/recipe/add_vlan/run", "/recipe/fixed/run"]);
  const ids = Object.values(all.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids).toEqual([...new Set(ids)]);
  const post = all.paths["/recipe/add-vlan/run"]?.post;
  expect(post?.parameters.map(({ in: place }) => place)).not.toContain("path");
  expect(post).toEqual(expect.objectContaining({ operationId: "run_add_vlan", summary: "Add a VLAN" }));
  expect(JSON.stringify(post)).toContain('"maximum":4094');
  expect(own(await whole("?recipes=false"))).toEqual([]);
  expect(own(await whole("", made.body.data.key))).toEqual(["/recipe/fixed/run"]);
});
