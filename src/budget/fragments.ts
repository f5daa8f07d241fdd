/**
 * Pieces of text that are one token each in the tokenizers of OpenAI's models since GPT-3.5 and of Llama 3, in
 * alphabetical order. Before each: how many characters it has in common with the one before it.
 * Made by scripts/generate-fragments.ts.
 */

/** In lower case, and with a capital first letter too. */
export const WORDS =
  '0ab2b2ility2out3ve2s3olute3tract1c2c3ept6ed4ss3ording4unt7s3uracy2e2k2t3ion6s4v5ate7' +
  'ion5e5ities7y3or3s3ual1d2a3pter2d3ed3ing4tional3r4ess7es2j3ust2min5istr9ator2s2v3anc' +
  'e7d3isor1f2f2ter1g2e3ncy4t2gregate1h2ead1i2r1j2ax1k2t1l2an2bum2e3rt2g3orithm2i3as3gn' +
  '5ment2l3e3oc5ate4w5ed2ong2pha2ready2s3o2t3ern6ate8ive3hough2ways1m2b2erican2ount2y1n' +
  '2a3l4ysis5tics2c3hor2d3roid2g3el3le3ular2im4al5ted6ion2n3e3otation2onymous2s3wer6s2t' +
  '3i2y1o1p2i2p3e4nd3le4ication4y3ointment3ro5val6ed5x1r2c3h4itecture5ve2e3a3na2g3s3ume' +
  'nt8s2k2m3or2ound2r3ay3ow2t3icle7s4st1s2c2h2k2s3embly4rt4t5s3ign6ed6ment3ociate9d8ion' +
  '2t2ync1t2h2om4ic2t3ach6ment5k3endance3r4ibute9s1u2d3io4t2f2g2s2t3h4enticate9ation4or' +
  '6ity7zation8ed6s3o4m5atic8on2x1v2ailability7le3tar2erage2g1w2ait3y2esome2s1x2is1y1z0' +
  'ba2ck4end4ground2d3ge2g2l3ance3l2n3d3g3k3ner2r3code3s2s3e4d3ic2t3ch1e2an4s3t3utiful2' +
  'cause2d2fore2gin2h3avior2l3l3ow2n3chmark2r3ry2s3t2t3a3ween1i2d2g2lling2n3ary3d4ing2r' +
  'd3th5day2t3map3s1l2ack3nk2ock5ing5s3g3od2ue1o2ard2dy2ld2n3e3us2ok4ing4mark4s3l4ean3s' +
  't3t4strap2rder3n2t3h3tom2und5s2w2x3es2y1r2anch4d2e3ak5ing2idge3ef3t2o3adcast3ken3wse' +
  'r2ush1s1tn1u2cket2dget2f3f4er2g2ild5er5ing4t2llet2ndle2r3n2s3iness2t3ton6s2y1y2te4s0' +
  'ca2che5d2l3c4ul6ate8or3endar3l4back4ed4s2m3era3p4aign2n3cel3didate3not3vas2p3acity3i' +
  'tal3tion4ure2r3bon3d4s3e3go3ousel3rier3s3t2s3cade3e4s3t4le2t3alog3ch3egoria8es7y2use' +
  '1d1e2l3l4s2nt4er4ral2rt4ificate1h2a3in3llenge3n4ge6d6s4nel7s3pter3r4acter9s4ge4set4t' +
  '5s3t2e3ck5box5ed5out5s3m2i3ld5ren2o3ice6s3ose2r3ome4n2unk1i2rcle2ties3y1l2aim5s3r3ss' +
  '5es5ification2ean5up4r2i3ck3ent6e6s3p4board2ock3ne3se5d4ure3ud2ub3ster1md1o2d3e4c4s3' +
  'ing2ffee2in2l3l4apse4ect7ion9ns4ision3or5s3umn6s2m3b4ined3e3fort3ing3m4and7s4ent7s5r' +
  'ce7ial4ission5t4on4unication7ty3p4act5nies6y5re6ison5tible4et4ile7r4lete8d7ion6x4one' +
  'nt9s5sition4ute7r2n3d4ition9al9s3exion3f4erence4ig6uration8e5rm7ation3n4ect7ed7ion9n' +
  's7or3s4ider4ole4t5ant8s5raint9ts6uct9ion9or4ult5mer3t4act7s5iner9s7s4ent7s5xt4in6ue7' +
  'ous4r5act8s5ol7ler9rs7s3v4ersation7ion6t2okie6s3rdinate9es2py4right2r3e3n3rect3s2s3t' +
  '2uld3nt5er5ries6y5s3pon3rse6s2ver5age1r2aft2e3ate6d5ing6on6ve5or3dential9ls4it6s2i3t' +
  '4eria4ical2op3ss2ypt5o1s2s2v1trl1u2be2r3rency6t7ly3so5r3ve2stom6er8s2t1y2cle0da2ily2' +
  'm3age2n3ger2o2rk2s3hboard2t3a4base4set3e4s3ing3os3um2y3s1b1e2bug2c3imal4sion3l4are3o' +
  'de6r4r2f3ault7s3ine6d5ition9ns2g3ree6s2l3ay3egate4te6d3ivery3ta2m3o2n3sity2p3art6men' +
  't3endencies9y6ing3loy3recated3th2r3ived2s3c4ribe6ption8or3erialize3ign3k4top3t4inati' +
  'on4roy2t3ail6s2v3elop7er7ment3ice6s1i2alog3mond2ct4ionary2d2e2ff4erence8t4iculty2ges' +
  't3it5al2m3ension9s2r3ect6ion7ve6or8y2s3able7d3c4onnect5unt4ussion3k3p4atch8er4lay3t4' +
  'ance4ribution6ct2v3ision1o2c3s3tor3ument8ation8s2es2g2ing2m3ain2n3e2or2t2uble2wn4loa' +
  'd1r2aft3g4on3w2ive5r6s2op4down1t1u2e2mmy2p3licate2ration1ynamic0each2r3n3th2se3y1b1c' +
  '2ho1d2ge2it4ed4or2uc4ation1f2f3ect6ive1ither1k1l2e3ct5ric3m4ent7s2f2l2se1m2ail2b3ed5' +
  'ded2oji2p3loyee8s3resa3ty1n2able6d2c3ode6r5ing3rypt2d3ing3point2emy3rgy2g3ine3lish2s' +
  '3ure2t3er5prise3ities5y3r4e4ies4y2um2v3ironment1p2isode2och1q2u3al5s3ipment1r2r3or5s' +
  '1s2c3ape3ort2p2s2t3a4do3e3imated1t2h3er1u1v2al4uate7ion2en4t5s3r1x2ample2cel4pt6ion9' +
  's3hange2ec4ute6ion3rcise2isting5s3t2p3and6ed3ect6ed4nse4rience6ment9tal3ort3r4ess7io' +
  'n2t3end6ed5sion9s4rnal3ra5ct1y2e0fa2bric2c3e4book4s3tor6y2de2il4ed4ure2ke2ll3se2mily' +
  '2n2r2st2ther2ult2vorite8s1e2ature7d7s2cha2ed4back2male2tch1i2eld5s2g3ure2l3e4name4s3' +
  'l3m3ter6s2n3al5ly4nce6ial3d4er3ish6ed2re4base3st2sh2t3ness2x3ed3ture1l2ag4s3sh3t2ex2' +
  'ight2oat3or3w2ush3tter2y1n1o2cus2ld4er3low6ing2nt4s2o3d3t4ball4er2r3ce3d3e3ge3m4at6i' +
  'on6ter4s3t4unately3um3ward2und5ation2x1r2agment3me5s5work2e3d3e3quency2iend6s2om3nt1' +
  's1u2ll4y2n3c4tion8s2ture0ga2l3lery2me4s3ma2r2s2te4way1e2m2n3der3er5al6te8d7or5ic3re2' +
  'o3metry2r2t3s1i2ft2rl4s2t3hub2ven1l2ass2obal6s1o2al2ing2od4s3gle2t1r2ad4e4ient3m4mar' +
  '3ph5ics3vity3y2e3at5er3en2id2ound4p5s1tk1u2ard2ess4t2i3d4e2n0ha2d2l3f2m2n3d4le6r6s5i' +
  'ng3g2ppy2r3d2s3h2t2ve1e2ad4er6s4ing3lth6y3p3rt3t2ight2l3l4o3p4er6s2n2r3e3o4es2t2x1i2' +
  'dden3e2gh4est4light2p2s3t4or6y2t1o2l3d4er3iday2m3e4page2ok4s2p3e4fully2r3izontal2spi' +
  'tal3t2t3el2ur4s3se2ver2w1p1tml2tp1u2b2m3an1y0ice2h2on4s1d2e3nt5ifier6ty1f1gn3ore1k1l' +
  '2l1m2age5s2g2m2p3act3l4ementation3ort6ant1n2c3lude7s6ing3orrect3rease5ment2d3ex3icat' +
  'or4vidual2f3o4rmation2g3redient9ts2i3t4ial7ize9ed2ject2line2ner2put5s2s3ert3t4agram5' +
  'll7ation7ed8r5nce8s4ruction9ons6ment3urance2t3eger5ration4r5active5est5face9s5nal7ti' +
  'onal5rupt5section5val3o2v3alid3entory4st3ite3oice4ke1o2n1p1r2on1s2o2s3ue5s1t2em4s3r4' +
  'ator2s0ja2ck2n2r2va4script1e2r2t3s1o2b3s2hn2in4ed4t2n2s2urnal2y1s2on1u2d2st4ice1wt0k' +
  'a2l2r2t1e2ep4er4ing2l2n2rnel2y3board3s3word7s1h1i2ck2ll2n3d3g2t1n2ife2ow4ledge4n1om1' +
  'r1y0la2b3el5s2mbda2nd3e3g4uage8s2rge2s3t2t3e4st3itude2unch6er2w2yer5s3out2zy1e2ader4' +
  'ing3f3gue3n3rn5ing3ve2d2e2ft2g3acy4l3end2n3gth2s3s2t3s3ter6s2vel5s2x3er1i2b3rary2c3e' +
  'nse2e2fe2ght5s2k3e4s2m3it5ed5s2n3e4ar4s3k4ed4s3ux2st4s2t3eral3tle2v3e1n1o2ad4ed5r4in' +
  'g2c3al5e4ted5ion8s5or3k4ed2g3ged5r4ing3ic5al4n3o4ut3s2n3g4itude2ok4ing4up3p2rd2s3s2t' +
  '2v2w3er1t1u2a1v1y0ma2c3hine3ro2d3e2g3ic2il3n4tenance2jor2ke4r3ing2l2n3age6d6ment6r3i' +
  'fest3ual4facturer2p3per4ing3s2r3gin3k4down4er5t6ing4s3shal3t3y2s3k3s3ter2t3ch5er6s3e' +
  '4rial8s3h3rix2x3imum2y3be1b1c1d1e2an3sure2d3ia5n4cal4um2l2m3ber6s7hip3ory2n3u2r3c4ha' +
  'nt3ge2s3h3sage7s2t3a4data4l3hod6s3ric6s4o1i2c3ro2d3dle6ware2gration2ll2n3e3imum3ute6' +
  's2r3ror2s3c3s4ing5on2t1o2bile2ck2d3al3e4l5s4rn3ified7r5y3ule6s2ment2n3ey3go3itor3ste' +
  'r3t4h5ly5s2re2s3t2ther3ion3or2unt3se2v3e4ment3ie5s1p1r1s2g1t1u2l3t4i5ple7y2sic3t2t3a' +
  'ble4tion3ex1y0na2m3e4s5pace2t3ional4ve3ural2v3bar3igate7ion7or1b1d1e2ed4ed2g3ative2i' +
  'ghbor2t3work2utral2w3s4letter2xt1g1h1i2c3k2e2ght2l1o2de4s2m3bre3e2n3e2rm4al6ize6ly2s' +
  '2t3e4s3ice4fication9ions5y2v2w1r1u2ll4able2m3ber6s3eric5o2t1x1y0ob2j3ect6s2s3erv6abl' +
  'e6er1cc3up1d2d1f2f3er3ice5ial3set1h1k1l2d1m2ega1n2ce2e2line3y2t1p2code2en3r4and5tion' +
  '9s6or8s2p2s2t3ion6al6s1r2d3en4r5ed5s2g3an5ization2ientation3g4in6al2th1s1t2her1ur2t3' +
  'er3put6s1ver4flow4lay4ride4view1wn3ed4r5s6hip0pa2ck4age4et2d3ding2g3e4r4s3ination2id' +
  '3nt3r2l3ette2n3e4l2per2r3a4graph4llel4m5eter9s5s3ent6s3k3se5r3t4ial5cipant9nts6le5ti' +
  'on4ner4s2s3s4ed4word3te2t3ch3h4s3ient7s3tern7s2use2y3load3ment7s1df1e2ak3r2d2er2n3di' +
  'ng2ople2r3cent7age3formance3haps3iod3m4ission9ns3s4ist7ent4on6al2s2t1g1h2ase2i2one5s' +
  '3to5s2p2rase2ysical6s1i2c3k4er3ture7s2e3ce5s2n3g2pe4line2xel1l2ace5holder5ment5s3in3' +
  'n4e5t4t3te4form3y4er6s2ease2ot2ugin6s3s1o2int5er5s2kemon2l3icy3l3y4gon2ol2p3ular6tio' +
  'n4p2r3t4folio4s2s3e3ition8s6ve3s4ible3t4al4ed4s2t3ential2w3er5ed1r2actice2e3c4ision3' +
  'd4icate6t7ion3ferences4ix3pare3s4ence6t7ation4s3tty3v4ious2ice3m4ary4itive3ncipal4t3' +
  'ority3v4acy5te2o3b4ably4lem3c4edure5ss7ing7or3d4u5cer6t7ion7o7s3f4essional4ile5t3gra' +
  'm5ess3ject7ion7s3m4ise4pt3of3p4erties7y4s3t4ect7ed4o5col5type3vider8s5nce3xy1s2i1t2r' +
  '1u2b3lic5sh7ed8r2ll2rchase3pose2sh2t1x1y2thon0qt1u2al4ified5ty3ntity3rter2e3ries4y3s' +
  't5ion8s3ue2ick3et2ote0ra2d3io4us2ils3n3se5s2m2nd4om3ge3k2te3ing4o2w2y1e2ach4t3d4er4i' +
  'ng4y3l3son2c3eipt5ve7d7r3ipe6s3ogn4mmend9ed4rd6s3t4angle3ursive2d3irect4s3uce4x2f3er' +
  'ence9s3resh2g3ion4ster8ed6r7ation7y3ular2ject2l3ated5ion8s9hip6ve3ease2m3aining4rks3' +
  'ote4ve6d2n3ame3der6er3t2p3eat3lace4y3o4rt6s4sitory3resent9ation2q3uest7s4ire7d7ments' +
  '7s2s3ervation4t3ize3olution5ve7r4urce8s3p4ond6se8s7ive3t4art5urant4ore4ricted3ult6s4' +
  'me2t3rieve3urn6s2v3erse3iew6s4sion1ich2ght2ng2o2ver1o2ad2b3ot2ck4et2d2l3e4s3l2m2om4s' +
  '3t2s3e2t3ate5ion2und3te5r5s2w3s2y1p2c1s1u2le4s2n3ner4ing3time1x0sa2fe2l3ary3es3t2me3' +
  'ple6s2ve4d1c2ala5r4e3n4ner3r2enario4e2h3edule8r4ma5e3ool2ience5t2ope3re5s2r3een6s3ip' +
  't6s3oll1e2a3rch3son2c3ond6ary6s3ret3tion7s4or3ure5ity2e3d3ing3n2g3ment2l3ect6ed6ion6' +
  'or3f3ler2m3antic2n3d4er3sor3t4ence2parator2q3uence2r3ial6ization8e9d9r4es3v4e5r6s4ic' +
  'e7s2ssion2t3s3ting7s3up2x1h2a3der4ow3pe3re5d2eet3ll2ield3ft3p4ping2op4ping3rt5cut3t3' +
  'uld3w2utdown1i2d3e4bar2g3ma3n4al5ture4ed4up2m3ilar3ple3ulation2n3ce3gle6ton2te4s2ze1' +
  'k2ill5s3n3p2y1l2ash2eep2ice3de5r2ot4s3w1m2all3rt5y2ith2ooth1n2ake3p4shot1o2cial3ket2' +
  'ft4ware2l3id3ution2me4thing5imes2n2rt4ed2urce6s1p2ace5s3n3wn2eaker3c4ial5es5fic3ed2l' +
  'it2ot2ring4te1ql2uare1r2c1t2ack3ff3ge3n4d5ard5ing3r4s4t5ed5ing3t4e5ment5s4ic5on5stic' +
  's4s4us2d2e3am3p4s3r2ick2ock3ne3p3rage4e5s4ies4m4y2r3ategy3eam6s4et3ict4ng6s4p3oke4ng' +
  '3uct6ure2udent7s4io3ff2yle5d5s1u2b3ject7s3mission5t6ted3scribe9r7ption2ccess7ful3h2i' +
  'te2m3mary2p3er3plier4ort7ed2r3face3vey1vg1w2agger3p2ift3tch1y2m3bol6s2n3c3tax2s3tem6' +
  's1z0ta2b3le5s3s2g3s2il2ke2r3get6s2sk4s2x1cp1e2acher3m4s2ch4n5ical5ology2d2en2l3e4gra' +
  'm4phone2m3p4erature4late8s4orary2n3sor2r3m4inal4s3rain2s3t4ing4s2x3t1h2anks3t2e3ir3m' +
  'e5s3n3re3ta3y2ing4k3rd3s2ose3ugh6t2read6s4e4shold3ough4w5s2umb5nail1i2ck4et6s2le2m3e' +
  '4line4out4r4s5tamp2ny2p3o3s2t3le5s1k1o2do4s2ggle2ken5s2n2o3l4bar4s4tip2p3ic5s2r2t3al' +
  '2uch1r2a3ce4k5er5ing5s3ditional3ffic3in5ing4t3ns5action9ons5fer6orm5ition5late8ion8o' +
  'r5parent6ort2e3e2i3al4ngle3gger3m2o2ue2y1s1u2ple2rn2torial1v1w2eet2itter2o1x2t1y2p3e' +
  '4s0ub2er2untu1h1i2nt1l2t1m1n2a2d3efined4r3o2e3xpected2i3code3form3on3que3t4s4y2known' +
  '2o2safe3upported2t1p2date6d6s2grade2load2per2s1r2ban2i2l1s2age2e3d3r4name4s3s2ing2ua' +
  'lly4rio7s1t2f2il4ities6y4s0va2l3id5ate7ion7or9s3or3ue5s2n2r3i4able8s5nt1e2c3tor2hicl' +
  'e2l3ocity2n3dor3t3ue2r3b3ification6ed5y3s4e4ion7s3t4ex4ical3y1i2a2deo5s2ew4s2n2ol2r3' +
  'tual2s3ibility5le4on4t5or3ual1o2ice3d2l3ume2te4s1s1ue1y0wa2it4ing2l3k4er3l4et2r3e4ho' +
  'use3n4ing2s2tch3er2y1e2ak3pon3ther2b3site2ek2i3ght2lcome3l2r2st4ern1h2at2eel3n3re3th' +
  'er2ich3le3te2o1i2de3get6s3th2ki2ll2n3d4ow6s3ner2re2th4draw4out1o2man2od2rd4s3k4er4in' +
  'g4s5heet5pace3ld2uld1r2ap4ped6r2ite5r4ing4ten2ong1y0xi1ml0ya1e2ar4s2llow2s1ii1o2u3r3' +
  'tube0ze2n2ro1h1ip1one2om';

/** As they are. */
export const LOWER_CASE =
  '0aa1ba2ilities2le2y1ccordion2h3e1de2o2r1e1ged3s2ing2o3n1id2l2m2n2re3s2s1ka1ld2f2k2ly' +
  '2m2o1ma2i2p3le1nch2da3er2ge4r2i2k2not2o2te4s3ic3s2z1pe2h2point3ropriate2t1rd2en2gv2i' +
  'a2p2ter3s2y1si2ks2m1ta2e2iv1ur1va2e3r2i0bb1c1d1erg3s3t1le1oards2r1readcrumb9bs1um2rg' +
  '3y0cb1c1er2s3s1f2g1her2or1k1laimed2e1m2p1omes3munications3pat2pe2rd3es2ut2vered1p2u1' +
  'srf1t2or2x1ul2rr1z0dated4time1bc1c1d1escripcion1f1ing2rname2sposing2t1jango1k1l1oors' +
  '1p1s1uct1y0ech2t1dges1e1g1h1la2la3e4r3o2o2s2t1mber2o1ncoded2de4d3if3l3s2er2n2se2ts1p' +
  's1ra2e2g2m2n2o3s2s2v2y1se2pecially1ta2t1w1xports2tern1z0fc1d1er1f1g1inite2rm1mt1ol2r' +
  'each3med1t1ul1x0gb1ed2s3t1g1h1in3g1le2yphicon1n1raduate1s1t1y0hab2shtags1eck2el1olde' +
  'rs2od1r1s1t2tps1ydr0ia2m2r1b1c2i3ng2y1dade2i2s2x1e1ff1g2en1h1i1j1le2i2s1ma2e2s1ndice' +
  's3s2e2herit2k2n2terpret1od2ns2s1ps1re2m1sa2c2e2i2p2set2t1tch2h1v2e1x1y1z0ji1pg0kan1e' +
  'r1g1l1o2mmen1s1t1u1wargs0lag2n3ds2r2y3outs1d1ear3se5d2ct2m3ma2r2v2y1f1ick2g2kely2ng1' +
  'l1ob2calhost2r2se1s1ying0makers2lloc2nd2tes1edi2nt4e1ing2ssions1kdir1l1m1ond3godb5os' +
  'e1ysql5i0nama2p1c1ehmen2l2n2r2ss1ing1n1onatomic2rmalized2tation1p1s1t1ya0ober1c2h1de' +
  '3r1e1ffsetof1g1i2d1lder2e1ma2in1nder2es2s2to1o2k1pacity2tim5izer3s1ra3l2din2e3s2i3en' +
  't2m2n2t1sp2s2t3ream1tt1u2d2ght2nce2rs1v2ers1w2l1x1y1z0pace2re4d1c1ec2g2nd1ir1lates2e' +
  '2y1m1on3d2sed4s3it1p1ragma2et2intf3se1ute1ytest0quarters2es2ir3s0raft2g2n2p3per2s2ti' +
  'on2z1c1d1ecognized2sent3h4ape2w1f1g2b3a1i2b2c2d3e3ge2es2s2t1l1m1og2ller6s2u3gh1r1t1u' +
  'm2pt1y0scanf1ect2mble1g1hips1izeof1lug1ole1qrt1s1tance2mt2rap3cmp2ylesheet1v0tbody1d' +
  '1ee2mpt2rn3s2xtarea1f1her1il2mestamps2ng2on1mp1n1p1ract3s2ib4ute3es1t1ypedef4name0ua' +
  '1c1d1e1f1g1id2t1k1ll1ma2b2p1nc2finished2g2ic2k2n2s3igned2wrap1pt1rb2e2g2n1sr2t1ten2t' +
  'er1uid1v1x1y1z0valuation2s1c1ed2rbose3tices2s3t1g1ice2d2lle2sited1m1oir2latile1t0war' +
  'd4s2ys1d1ebpack2ights1ise2tch1n1orth1p1s1t1w2w0xa1b1c1e1f1t1x2xx1y0yan1c1n1p1r1s1t1y' +
  '2yy0za1eit2r1i2e1o1z';

/** As they are. */
export const CAPITALS =
  '0AA1B1C2E2K2T3IVE1D1F1G2E1K1L2L1M1N2D2T1P2I2P1R2CH2E2G2R3AY2T1S2E2S3ERT2T1T2A2H1V1X0' +
  'BA2CK2SE1B1C1D1E2R1I1L1O2OL1S1UG0CA1C1D1E1F1G1H2AR2ECK1I1K1L2ASS1M1O2DE2L2M3P2N3FIG3' +
  'NECT2OKIE2UNT1P2P1R2E3ATE1S1T0DA2O2TA4BASE3E1B1C1D1E2BUG2FAULT2LETE2SCRIPTION1F1IR1M' +
  '1O2CUMENT2M2WN1P1R1S1T2O0EB1C1D1E1G1IF1L1M1N2D2T3ER3ITY1O1P1R2R3OR1S2T1T2H1VER1X2PEC' +
  'T3ORT2T0FA2CE1C1E1F1IELD2G2LE1L2AG4S1O2RM1R1S1T1UNCTION0GB1E2N2R2T1L2OBAL1PIO1R1UI0H' +
  'E2R3E1OME1P1T2ML2TP0IA1B1C2E1D2ENT1E1F1G2N1I2I1L1M2AGE1N2CLUDING2D2FO2S3ERT3TANCE2T3' +
  'ER1O1P1R1S2T1T2EM1V1X0JSON0KE2Y0LC1E1INE1L1O2CATION3K2G2W1S1Y0MA2P2X1B1C1D1E1I1L1M1O' +
  'DULE1P1S2G1T0NA2ME1C1D1E2W1G1N1O2T3E1S1T1U2LL2M0OC1D1G1K1L2D1M1N2E1P2TION1R2D3ER2M1S' +
  '2T1T1U2R2T1W2N0PA2CK2TH1C1E1HP1I1L2AY1M1O2INT2RT2S3T1P1R2INT2O1S1T1U2T0QU2AL2E3ST2I0' +
  'RA1C1E2AD2D2F3ER2QUEST2S3ULT1GB1I2GHT1L1O2M2UND1T0SA1C2RIPT1D2L1E2LECT2RVER2SSION2T1' +
  'G1H1IZE1L1M1ON1P1QL1S1T2ATUS2R3ING1UCCESS0TABLE1C1E2R2ST2XT1H2E1IME1O2DO1P1R2UE1S1UR' +
  'N1YPE0UB1C1D1E1I2D1L1M1N2C2KNOWN1P2DATE1R2I2L1S2E3D3R1T2F0VAL3ID3UE1C1E2R3SION1ID2EW' +
  '1O0WARNING1EB1HERE1ORD3K1S0XML1X0YY2YY';

/** As it is, some of it with the line's end after it. */
export const PUNCTUATION =
  '0!\n2\n1!2!1"1=0"\n2\n1"2"3\n4\n1)2\n3\n2)3\n3;\n2,3\n2.2;3\n4\n1+1,2\n2"1.2$1/1:2"1;2\n3\n1>2\n1]1}0' +
  "#\n1#2##4####0$(2\"#2'#3.1_1{0%\n\n1%0&&0'\n2\n1'2'3\n1)2\n2)\n2.2;\n1+1,2\n2'1.2$1:1;2\n1>1]1}0" +
  '(\n1!1"2%2\\1$2_1&1\'1(2(2)1)2\n3\n2)3\n3;\n2,3\n2.2:2;3\n4\n2{\n1*1-1/1:1@1[1_2_1`1{2\n0)\n2\n1(1' +
  ')2\n3\n2,\n2;\n4\n1,2\n1->1.2\n3\n1:2\n1;2\n3\n1[1{2\n0*\n2\n1(1)1*2\n2**4****1/2\n3\n1>(0+"1\'1+2)2;\n' +
  '1=0,\n2\n1"1\'1-0-\n2\n1(1-2\n2-3\n3-4----1>0.\n2\n1"1$1\'1*1.2\n\n2.3\n4\n3.4....2/3../1/0/\n2\n1*2' +
  '\n2*3\n1/2\n3\n2/3/1>0:\n2\n1"1\'1(1:1</0;\n2\n1;0<!--1/1<2"2<1=1?0="1$1\'1(1=2\'2=3=1>2{\n1[1{0' +
  '>\n2\n1&1(1::1<2/1>2>0?\n2\n1.1:1>2\n2"1?0@"0[\n1"1$1\'1-1:1]0\\\n1"1/1\\0]\n2\n1)2\n2;\n1,2\n1.1;2' +
  '\n3\n1[1]0_(1,1.1_2(2_3_0`\n0{\n2\n1"1$1{1}0|\n1|0}\n2\n1)2\n3\n2;\n4\n1,2\n1.1;\n3\n1</1>\n1}2</0~~';
