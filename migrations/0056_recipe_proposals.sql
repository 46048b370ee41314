ALTER TABLE `recipe_runs` ADD `proposer` text;
--> statement-breakpoint
ALTER TABLE `recipe_runs` ADD `proposed_by` text;
--> statement-breakpoint
ALTER TABLE `recipe_runs` ADD `accepted_at` integer;
