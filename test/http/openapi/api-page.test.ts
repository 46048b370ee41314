/** docs/reference/api.md matches the code: it names every route, parameter, field and status. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { workerStatuses } from "../../../src/api/admin/worker.ts";
import { jobStatuses } from "../../../src/api/jobs/job.ts";
import { bulkRequest, operationOptions, parseRequest, renderRequest } from "../../../src/api/jobs/request.ts";
import { jobErrorKinds } from "../../../src/base/errors.ts";
import { definitions, openDefinitions } from "../../../src/http/route-table.ts";
import { jobRecord, workerRecord } from "../doubles/fixtures.ts";

const page = readFileSync("docs/reference/api.md", "utf8");

/** From a heading to the next one. */
function section(heading: string): string {
  const at = page.indexOf(`\n### ${heading}\n`);
  if (at < 0) return "";
  const end = page.indexOf("\n##", at + 4);
  return page.slice(at, end < 0 ? undefined : end);
}
const says = (text: string, name: string) => text.includes(`\`${name}\``) || text.includes(`"${name}"`);
const missing = (text: string, names: readonly string[]) => names.filter((name) => !says(text, name));

describe("every route", () => {
  test.each([
    ...definitions.map(
      ({ method, path, scope, query }) => [method, path.replaceAll(/:(\w+)/g, "{$1}"), scope, query] as const,
    ),
    ...openDefinitions.map(
      ({ method, path, query }) => [method, path.replaceAll(/:(\w+)/g, "{$1}"), undefined, query] as const,
    ),
    ["GET", "/livez", undefined, undefined] as const,
    ["GET", "/readyz", undefined, undefined] as const,
  ])("%s %s has a section with its scope and parameters", (method, path, scope, query) => {
    const text = section(`\`${method} ${path}\``);
    expect(text).not.toBe("");
    if (scope && !path.endsWith("{name}")) expect(text).toContain(`cope \`${scope}\``);
    // DELETE /worker has the filters of GET /worker.
    const where = text.includes("Same filters") ? section(`\`GET ${path}\``) : text;
    expect(missing(where, Object.keys(query?.entries ?? {}))).toEqual([]);
  });

  test("documents no route that does not exist", () => {
    const headings = [...page.matchAll(/^### `([A-Z]+) (\S+)`$/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const documented = [...definitions, ...openDefinitions].map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    expect(headings.sort()).toEqual([...documented, "GET /livez", "GET /readyz"].sort());
  });
});

test("documents every field of the bodies", () => {
  const device = section("`POST /device/execute`") + section("`POST /device/bulk`");
  expect(missing(device, Object.keys(bulkRequest.entries))).toEqual([]);
  expect(missing(device, Object.keys(operationOptions.entries))).toEqual([]);
  expect(missing(section("`POST /template/render`"), Object.keys(renderRequest.entries))).toEqual([]);
  expect(missing(section("`POST /template/parse`"), Object.keys(parseRequest.entries))).toEqual([]);
});

test("documents every record field, status and error type", () => {
  const record = section("The record of a job");
  expect(missing(record, [...Object.keys(jobRecord(1)), "held", "bulk_id", "warnings", "webhook"])).toEqual(
    [],
  );
  expect(missing(record, jobErrorKinds)).toEqual([]);
  expect(missing(section("`GET /job`"), jobStatuses)).toEqual([]);
  const worker = section("`GET /worker`");
  expect(missing(worker, [...Object.keys(workerRecord("x")), ...workerStatuses])).toEqual([]);
});

test("documents every HTTP status", () => {
  const statuses = [...section("Errors").matchAll(/^\| (\d{3})/gm)].map((match) => match[1]);
  expect(statuses).toEqual([
    "200",
    "400",
    "403",
    "404",
    "405",
    "409",
    "412",
    "413",
    "415",
    "422",
    "429",
    "500",
    "503",
    "507",
  ]);
});

test("links lead to existing headings", () => {
  const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    String(title)
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map((match) => match[1]);
  expect(links.filter((link) => !anchors.includes(String(link)))).toEqual([]);
});
