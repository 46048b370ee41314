alter table recipe_runs add column proposer text collate "C";
--> statement-breakpoint
alter table recipe_runs add column proposed_by text collate "C";
--> statement-breakpoint
alter table recipe_runs add column accepted_at bigint;
