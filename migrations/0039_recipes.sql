CREATE TABLE `recipes` (
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`who` text NOT NULL,
	`document` blob NOT NULL,
	PRIMARY KEY(`name`, `version`)
);
--> statement-breakpoint
CREATE TABLE `recipe_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`recipe` text NOT NULL,
	`version` integer NOT NULL,
	`holder` text NOT NULL,
	`submitter_kind` text NOT NULL,
	`submitter` text NOT NULL,
	`ticket` text,
	`state` text NOT NULL,
	`reason` text,
	`move` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`request` blob NOT NULL,
	`steps` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `recipe_runs_open` ON `recipe_runs` (`created_at`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `recipe_runs_recipe` ON `recipe_runs` (`recipe`,`created_at`);
