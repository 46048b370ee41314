/** The answers by which end-to-end tests show untrusted text are whole records, as the console reads them. */
import * as v from "valibot";
import { expect, test } from "vitest";
import * as persons from "../../src/console/shapes/access.ts";
import * as changes from "../../src/console/shapes/changes.ts";
import * as history from "../../src/console/shapes/history.ts";
import * as drift from "../../src/console/shapes/intent.ts";
import * as inventory from "../../src/console/shapes/inventory.ts";
import * as ledger from "../../src/console/shapes/ledger.ts";
import * as recipes from "../../src/console/shapes/recipes.ts";
import * as schedules from "../../src/console/shapes/schedules.ts";
import * as shapes from "../../src/console/shapes/shapes.ts";
import * as templates from "../../src/console/shapes/templates.ts";
import { savedAs, views } from "../e2e/console/console-places.ts";

const read: readonly (readonly [RegExp, v.GenericSchema])[] = [
  [/^\/job$/, v.array(shapes.job)],
  [/^\/bulk$/, v.array(shapes.bulk)],
  [/^\/bulk\/[^/]+$/, shapes.bulk],
  [/^\/worker$/, v.array(shapes.worker)],
  [/^\/key$/, v.array(shapes.key)],
  [/^\/session$/, v.array(shapes.session)],
  [/^\/person$/, v.array(persons.person)],
  [/^\/role$/, v.array(persons.role)],
  [/^\/credential$/, v.array(shapes.credential)],
  [/^\/audit$/, v.array(shapes.auditRecord)],
  [/^\/ledger$/, v.array(ledger.entry)],
  [/^\/ledger\/outside$/, v.array(ledger.outside)],
  [/^\/plugin$/, v.array(shapes.plugin)],
  [/^\/statistics$/, shapes.statistics],
  [/^\/inventory\/(device|group)$/, v.array(inventory.entry)],
  [/^\/inventory\/(device|group)\/[^/]+$/, inventory.entry],
  [/^\/inventory\/source$/, v.array(inventory.source)],
  [/^\/inventory\/source\/[^/]+$/, inventory.source],
  [/^\/inventory\/source\/[^/]+\/sync$/, inventory.upsert],
  [/^\/recipe$/, v.array(recipes.listed)],
  [/^\/proposed-run$/, v.array(recipes.listedRuns)],
  [/^\/shipped-recipe$/, v.array(recipes.shipped)],
  [/^\/recipe\/[^/]+$/, recipes.recipe],
  [/^\/recipe\/[^/]+\/run$/, v.array(recipes.listedRuns)],
  [/^\/recipe\/[^/]+\/run\/[^/]+$/, recipes.run],
  [/^\/schedule$/, v.array(schedules.schedule)],
  [/^\/schedule\/[^/]+$/, schedules.schedule],
  [/^\/schedule\/[^/]+\/firing$/, v.array(schedules.firing)],
  [/^\/history\/device$/, v.array(history.configured)],
  [/^\/history\/(?:device\/sw1|change)$/, v.array(history.version)],
  [/^\/history\/device\/sw1\/latest$/, history.oneText],
  [/^\/history\/device\/sw1\/blame$/, history.blame],
  [/^\/history\/device\/sw1\/diff$/, history.difference],
  [/^\/history\/search$/, v.array(history.match)],
  [/^\/drift$/, v.array(drift.row)],
  [/^\/drift\/summary$/, drift.summary],
  [/^\/drift\/line$/, v.array(drift.line)],
  [/^\/drift\/device\/[^/]+$/, v.array(drift.detail)],
  [/^\/change$/, v.array(changes.listedChange)],
  [/^\/change\/[^/]+$/, changes.oneChange],
  [/^\/change\/[^/]+\/target$/, v.array(changes.target)],
  [/^\/change\/[^/]+\/step$/, v.array(changes.step)],
  [/^\/settings$/, v.array(shapes.setting)],
  [/^\/licenses$/, v.array(shapes.licence)],
  [/^\/template$/, v.array(templates.listedTemplates)],
  [/^\/template\/ntp$/, templates.stored],
  [/^\/template\/render\/\w+$/, v.string()],
];

const answers = [...views.map((view) => view.answers((place) => `<b>${place}`)), savedAs("x")]
  .flatMap((given) => Object.entries(given))
  .flatMap(([path, answer]) => ("data" in answer ? [[path, answer.data] as const] : []));

test.each(answers)("%s", (path, data) => {
  const [, schema] = read.find(([pattern]) => pattern.test(path)) ?? [];
  const faults = schema && v.safeParse(schema, data).issues;
  expect(schema, path).toBeDefined();
  expect(faults?.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)).toBeUndefined();
});
