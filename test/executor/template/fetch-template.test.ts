/** Template files: a name is a path, literal or URL-encoded; anything else is outside the roots. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reachOf } from "../../../src/auth/reach.ts";
import { createTemplateFetcher } from "../../../src/executor/template/fetch-template.ts";
import { taskContext } from "../../plugin/context.ts";
import { temporary } from "../../support/temporary.ts";
import { plainSettings } from "../fixtures.ts";

test("a template file is found by its path, literal or URL-encoded; other paths are refused", async () => {
  const folder = temporary();
  const notUsed = () => Promise.reject(new Error("not used"));
  const { read } = createTemplateFetcher({
    settings: { ...plainSettings, templateRoots: [folder.path] },
    http: { request: notUsed, session: notUsed },
    check: notUsed,
    reach: () => reachOf([]),
  });
  for (const name of ["plain.j2", "50%.j2", "a b.j2", "a#b?.j2"])
    writeFileSync(join(folder.path, name), name);
  const found = [
    ["plain.j2", `${folder.path}/plain.j2`],
    ["50%.j2", `${folder.path}/50%.j2`],
    ["50%.j2", `${folder.path}/50%25.j2`],
    ["50%.j2", "50%.j2"],
    ["a b.j2", `${folder.path}/a%20b.j2`],
    ["a#b?.j2", `${folder.path}/a#b?.j2`],
  ] as const;
  for (const [text, path] of found) expect(await read(`file://${path}`, taskContext())).toBe(text);
  for (const path of ["/%zz", "/a%00b", "/\ud800", "/..%2f..%2fetc/passwd", "/etc/passwd"])
    await expect(read(`file://${path}`, taskContext())).rejects.toMatchObject({ kind: "Forbidden" });
  folder.remove();
});

test.each([
  "ftp://user%0d%0aDELE%20x:secret@192.0.2.1/a",
  "ftp://user:sec%0aret@192.0.2.1/a",
  "ftp://user:secret@192.0.2.1/a%0d%0aDELE%20x",
  "ftp://user:secret@192.0.2.1/a%00",
])("an FTP URL with a control character is refused before connecting, and not quoted: %s", async (uri) => {
  const notUsed = () => Promise.reject(new Error("not used"));
  const { read } = createTemplateFetcher({
    settings: plainSettings,
    http: { request: notUsed, session: notUsed },
    check: notUsed,
    reach: () => reachOf([]),
  });
  const refused = await read(uri, taskContext()).catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: "BadRequest", message: "The URL holds a control character." });
});
