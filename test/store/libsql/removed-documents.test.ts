/** Names of removed templates: their versions are never given again, and what is kept of them has a bound. */
import { expect, test } from "vitest";
import { templateLimits } from "../../../src/api/recipes/template.ts";
import { operator } from "../contract/fixture.ts";
import { endStore, makePlace, openStore } from "../support.ts";

test("a name that is used again goes on behind its last version, also after very many were removed", async () => {
  const place = await makePlace("file");
  const store = await openStore(place);
  const { templates } = store;
  const put = (name: string) => templates.put(name, { document: "{}", listed: "{}" }, operator);
  const gone = (name: string) => templates.remove(name, operator);
  try {
    for (let version = 1; version <= 3; version++) expect(await put("a")).toMatchObject({ version });
    expect(await gone("a")).toBe(true);
    expect(await put("b")).toEqual({ version: 1, added: true });
    expect(await put("a")).toEqual({ version: 4, added: true });
    expect(await gone("a")).toBe(true);
    for (let at = 0; at <= templateLimits.most + 1; at++) {
      expect(await put(`n${at}`)).toEqual({ version: expect.toBeOneOf([1, 5]), added: true });
      expect(await gone(`n${at}`)).toBe(true);
    }
    expect(await put("a")).toEqual({ version: 5, added: true });
    expect(await put("new")).toEqual({ version: 5, added: true });
  } finally {
    await endStore(store);
    await place.remove();
  }
}, 120_000);
