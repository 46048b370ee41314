ALTER TABLE `changes` ADD `recipe` text;--> statement-breakpoint
ALTER TABLE `changes` ADD `recipe_run` text;
