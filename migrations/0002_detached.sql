CREATE TABLE `detached_tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`host` text NOT NULL,
	`host_key` text NOT NULL,
	`driver` text NOT NULL,
	`caller` text NOT NULL,
	`state` text NOT NULL,
	`exit_status` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`seen_at` integer,
	`due_t` integer NOT NULL,
	`payload` blob NOT NULL,
	`asked` blob
);
--> statement-breakpoint
CREATE INDEX `detached_tasks_host` ON `detached_tasks` (`host_key`,`id`);--> statement-breakpoint
CREATE INDEX `detached_tasks_caller` ON `detached_tasks` (`caller`);--> statement-breakpoint
CREATE INDEX `detached_tasks_due` ON `detached_tasks` (`due_t`);