drop index commits_in_order;
