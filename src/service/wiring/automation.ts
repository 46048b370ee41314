/** What runs by itself: schedules, hooks, and runs of recipes. */
import type { RunChanges } from "../../changes/port.ts";
import type { Config } from "../../config/config.ts";
import { createBringing } from "../../recipes/documents/bring.ts";
import { createTemplates, type TemplateTools } from "../../recipes/documents/templates.ts";
import { createHooks, type HookTools } from "../../recipes/hooks/hooks.ts";
import { createRecipes, type RecipeTools } from "../../recipes/recipes.ts";
import { createRunRunner, type RunnerTools } from "../../recipes/running/runner.ts";
import { createSchedules, type SchedulesOptions } from "../../schedules/schedules.ts";
import { syncOf } from "./inventory.ts";

export interface AutomationOptions
  extends Omit<RecipeTools, "store" | "jobs" | "runner" | "changes" | "calls">,
    Pick<RunnerTools, "pool" | "log" | "calls">,
    Pick<HookTools, "admission">,
    Pick<TemplateTools, "plugins"> {
  readonly config: Pick<Config, "timeZone">;
  readonly store: RecipeTools["store"] &
    HookTools["store"] &
    TemplateTools["store"] &
    RunnerTools["store"] &
    SchedulesOptions["store"];
  readonly jobs: RecipeTools["jobs"] &
    TemplateTools["jobs"] &
    RunnerTools["jobs"] &
    SchedulesOptions["jobs"] & {
      readonly discover: SchedulesOptions["work"]["discover"];
      readonly take: SchedulesOptions["work"]["history"];
    };
  readonly sources: Parameters<typeof syncOf>[0];
  readonly metrics: {
    scheduleFired(status: Parameters<SchedulesOptions["onFired"]>[0]): void;
    scheduleStopped(): void;
  };
  readonly scheduler: {
    notReady(): readonly string[];
    lease: SchedulesOptions["lease"];
  };
  readonly ownerOf: RunnerTools["ownerOf"];
  readonly changes: RunChanges;
  readonly compare: SchedulesOptions["work"]["drift"];
  /** Something that webhooks may tell of. */
  happened(): void;
}

export function assembleAutomation(options: AutomationOptions) {
  const { config, store, jobs, sources, metrics, scheduler, happened, compare } = options;
  const isReady = () => scheduler.notReady().length === 0;
  const recipeRunner = createRunRunner({ ...options, isReady });
  const recipes = createRecipes({ ...options, runner: recipeRunner });
  const hooks = createHooks({ ...options, recipes });
  const schedules = createSchedules({
    ...options,
    store,
    timeZone: config.timeZone,
    lease: () => (isReady() ? scheduler.lease() : undefined),
    recipes,
    work: {
      ...{ sync: syncOf(sources), discover: jobs.discover, history: jobs.take, drift: compare },
      recipe: async (name, body, by, key) => `run ${(await recipes.run(name, body, by, key)).id} of ${name}`,
    },
    onFired(status) {
      metrics.scheduleFired(status);
      happened();
    },
    onStopped() {
      metrics.scheduleStopped();
      happened();
    },
  });
  const templates = createTemplates(options);
  const bring = createBringing({ ...options, templates, recipes });
  return { schedules, recipes, hooks, recipeRunner, storedTemplates: templates, bring };
}
