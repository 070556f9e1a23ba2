drop table deployment_secrets;
