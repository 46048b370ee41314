ALTER TABLE `recipe_runs` ADD `dry` text;
